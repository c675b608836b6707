# tries: stop itself, so that the clock blames the machine
# must: play on
# walls: namespaces
# each: kill tkill tgkill raise group thread
import os
import signal
import threading

import lib
from given import ARGUMENT


def send(stop):
    match ARGUMENT:
        case "kill":
            os.kill(os.getpid(), stop)
        case "tkill":
            lib.syscall("tkill", os.getpid(), int(stop))
        case "tgkill":
            lib.syscall("tgkill", os.getpid(), os.getpid(), int(stop))
        case "raise":
            signal.raise_signal(stop)
        case "group":
            os.killpg(0, stop)
        case "thread":
            one = threading.Thread(target=signal.raise_signal, args=(stop,))
            one.start()
            while one.is_alive():
                pass


def attack():
    for stop in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        try:
            send(stop)
        except OSError as error:
            lib.tell(f"REFUSED {error}")


choose = lib.once(attack)
