# tries: write lines to every descriptor there is
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
