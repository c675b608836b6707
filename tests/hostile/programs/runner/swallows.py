# tries: suppress its own answers by replacing os.write
# must: time
# walls: referee
import os

import lib


def attack():
    os.write = lambda fd, data: len(data)


choose = lib.once(attack)
