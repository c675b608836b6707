# tries: find out which pages of a file are in memory
# must: play on
# walls: seccomp
import ctypes
import mmap
import os

import lib


def attack():
    fd = os.open(os.__file__, os.O_RDONLY)
    buffer = ctypes.create_string_buffer(4096)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 4096)
    pages = mmap.mmap(fd, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    for flags in (0x8, 0x1, 0x80, 0):
        lib.attempt(f"preadv2 {flags}", lib.syscall, "preadv2", fd, vector, 1, 0, 0, flags)
    lib.attempt("mincore", lib.syscall, "mincore", start, 4096, buffer)
    lib.attempt("cachestat", lib.syscall, "cachestat", fd, bytes(16), buffer, 0)
    lib.attempt("fadvise", lib.syscall, "fadvise64", fd, 0, 4096, 4)
    lib.attempt("readahead", lib.syscall, "readahead", fd, 0, 4096)
    lib.attempt("sync_file_range", lib.syscall, "sync_file_range", fd, 0, 0, 0)
    lib.attempt("sync", lib.syscall, "sync")
    lib.attempt("syncfs", lib.syscall, "syncfs", fd)


choose = lib.once(attack)
