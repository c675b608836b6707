# tries: lower its own processor time and exceed it
# must: play on or crash; not saying "killed from outside"
# walls: kernel's word, seccomp
# each: 1,1 1,2 0,1 0,0
import resource
import time

import lib
from given import ARGUMENT

asked = []


def choose(view, legal):
    lib.tried()
    if not asked:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, tuple(map(int, ARGUMENT.split(","))))
        except (OSError, ValueError) as error:
            lib.tell(f"REFUSED {error}")
            asked.append(None)
    if None not in asked:
        asked.append(1)
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
    return legal[0]
