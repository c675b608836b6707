# tries: make written pages read-only, so that no limit counts them
# must: play on or crash
# walls: memory watch, cgroup
# each: 0 1 4
import ctypes
import mmap

import lib
from given import ARGUMENT


def take():
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        kept[-1].write(b"x" * (1 << 20))
        start = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))
        lib.syscall("mprotect", start, 1 << 20, int(ARGUMENT))
        yield len(kept)


choose = lib.holding(take)
