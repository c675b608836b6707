# tries: write lines to all open descriptors
# must: garbage
# walls: referee
import os

import lib


def attack():
    for fd in range(1, 64):
        try:
            os.write(fd, b"hello\n")
        except OSError:
            pass


choose = lib.once(attack)
