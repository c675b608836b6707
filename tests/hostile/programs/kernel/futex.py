# tries: use futexes on pages that other processes share
# must: play on
# walls: seccomp
import ctypes
import mmap
import os

import lib


def attack():
    with open(os.__file__, "rb") as file:
        pages = mmap.mmap(
            file.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE
        )
    word = ctypes.addressof(ctypes.c_int.from_buffer(pages))
    moment = (0).to_bytes(8, "little") + (1000).to_bytes(8, "little")
    for operation in (3, 4, 5, 6, 7, 8, 11, 12):  # requeue and PI operations without FUTEX_PRIVATE
        lib.attempt(f"shared {operation}", lib.syscall, "futex", word, operation, 1, 0, word, 0)
    for name in ("futex_wake", "futex_wait", "futex_waitv"):
        lib.attempt(name, lib.syscall, name, word, 1, 1, 2, moment, 1)


choose = lib.once(attack)
