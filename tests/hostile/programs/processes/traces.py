# tries: trace other processes, or be traced
# must: play on
# walls: seccomp, namespaces
import ctypes
import os

import lib


def attack():
    buffer = ctypes.create_string_buffer(64)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
    for pid in (1, 2, os.getppid(), 300):
        lib.attempt(f"attach {pid}", lib.syscall, "ptrace", 16, pid, 0, 0)
        lib.attempt(f"seize {pid}", lib.syscall, "ptrace", 0x4206, pid, 0, 0)
        for way in ("readv", "writev"):
            name = f"process_vm_{way}"
            lib.attempt(f"{name} {pid}", lib.syscall, name, pid, vector, 1, vector, 1, 0)
        lib.attempt(f"compare {pid}", lib.syscall, "kcmp", pid, pid, 0, 0, 0)
    lib.attempt("be traced", lib.syscall, "ptrace", 0, 0, 0, 0)
    lib.attempt("madvise", lib.syscall, "process_madvise", 0, vector, 1, 21, 0)
    lib.attempt("release", lib.syscall, "process_mrelease", 0, 0)


choose = lib.once(attack)
