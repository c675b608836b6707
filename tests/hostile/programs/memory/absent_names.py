# tries: fill the kernel's cache with names that do not exist, which no limit counts
# must: play on
# walls: tmpfs
# each: / /dev /cardroom/engine /tmp
import os
import time

import lib
from given import ARGUMENT

count = 0


def attack():
    """Look up about 50,000 names at each question, in a fifth of its time."""
    global count
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        for _ in range(100):
            count += 1
            os.access(f"{ARGUMENT}/{count:x<200}", 0)


def choose(view, legal):
    lib.tried()
    attack()
    return legal[0]
