# tries: use io_uring for operations that the filter forbids as calls
# must: play on
# walls: seccomp
import ctypes

import lib


def attack():
    parameters = ctypes.create_string_buffer(120)
    lib.attempt("io_uring", lib.syscall, "io_uring_setup", 8, parameters)
    lib.attempt("io_setup", lib.syscall, "io_setup", 8, ctypes.byref(ctypes.c_ulong()))
    lib.attempt("splice", lib.syscall, "splice", 0, 0, 2, 0, 1, 0)
    lib.attempt("tee", lib.syscall, "tee", 0, 2, 1, 0)
    lib.attempt("vmsplice", lib.syscall, "vmsplice", 2, bytes(16), 1, 0)


choose = lib.once(attack)
