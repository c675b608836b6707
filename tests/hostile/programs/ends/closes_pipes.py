# tries: close its pipes in an unexpected order, and continue
# must: play on or crash or time
# walls: kernel's word, referee
# each: 0 1 2 3 4 3,4 4,3 0,1,2 4,2,1,3 2,4
import os
import time

import lib
from given import ARGUMENT


def attack():
    for fd in map(int, ARGUMENT.split(",")):
        try:
            os.close(fd)
        except OSError:
            pass
    if "4" in ARGUMENT:
        while True:
            time.sleep(60)


choose = lib.once(attack)
