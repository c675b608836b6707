# tries: make its own files huge, with data and with holes
# must: play on or crash
# walls: rlimits, root, seccomp
# each: write hole truncate fallocate
import os

import lib
from given import ARGUMENT, DISK_MIB


def grow():
    fd = os.open("bot.py", os.O_RDWR)
    size = DISK_MIB << 20
    match ARGUMENT:
        case "write":
            for at in range(0, 2 * size, 1 << 16):
                if os.pwrite(fd, bytes(1 << 16), at) < 1 << 16:
                    raise OSError("it is full")
        case "hole":
            os.pwrite(fd, b"x", 1 << 40)
        case "truncate":
            os.ftruncate(fd, 1 << 40)
        case "fallocate":
            os.posix_fallocate(fd, 0, 2 * size)


choose = lib.once(lambda: lib.attempt("grow", grow))
