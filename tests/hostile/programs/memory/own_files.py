# tries: fill memory with its own files, by a shared mapping
# must: play on or crash
# walls: rlimits, root, memory watch
import mmap
import os

import lib
from given import DISK_MIB


def take():
    size = 2 * DISK_MIB << 20
    fd = os.open("bot.py", os.O_RDWR)
    os.ftruncate(fd, size)
    pages = mmap.mmap(fd, size)
    for at in range(0, size, 1 << 20):
        os.pwrite(fd, bytes(1 << 20), at)
        pages[at : at + 4] = b"mine"
        yield at / (1 << 20)


choose = lib.holding(take, DISK_MIB * 1.2)
