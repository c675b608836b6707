# tries: hook into everything that the interpreter calls
# must: play on or crash or time
# walls: referee
# each: trace profile gc switch excepthook audit signals
import gc
import signal
import sys

import lib
from given import ARGUMENT


def attack():
    match ARGUMENT:
        case "trace":
            sys.settrace(lambda *_: None)
        case "profile":
            sys.setprofile(lambda *_: None)
        case "gc":
            gc.callbacks.append(lambda *_: sum(range(1000)))
            gc.set_threshold(1)
        case "switch":
            sys.setswitchinterval(1e-9)
        case "excepthook":
            sys.excepthook = sys.__excepthook__ = lambda *_: None
        case "audit":
            sys.addaudithook(lambda *_: None)
        case "signals":
            for number in range(1, 65):
                try:
                    signal.signal(number, lambda *_: None)
                except (OSError, ValueError):
                    pass


choose = lib.once(attack)
