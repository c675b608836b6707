# tries: hold more memory than its limit in arrays whose pages it makes read-only by ctypes
# must: play on or crash
# walls: seccomp, memory watch, cgroup
import ctypes
import mmap

import lib
import numpy as np


def take():
    kept = []
    while True:
        array = np.ones((2 << 20) // 8)
        start = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
        lib.libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(1 << 20), mmap.PROT_READ)
        kept.append(array)
        yield 2 * len(kept)


choose = lib.holding(take)

# === cardroom.toml ===
needs = ["numpy"]
