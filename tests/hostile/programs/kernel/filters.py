# tries: remove the filter, or add another one that allows everything
# must: play on
# walls: seccomp
import ctypes
import struct

import lib


def attack():
    allow = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000))
    program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow))
    for operation in range(4):
        lib.attempt(f"seccomp {operation}", lib.syscall, "seccomp", operation, 0, program)
        lib.attempt(f"listener {operation}", lib.syscall, "seccomp", operation, 8, program)
    lib.attempt("prctl", lib.syscall, "prctl", 22, 2, program, 0, 0)
    lib.attempt("strict", lib.syscall, "prctl", 22, 1, 0, 0, 0)
    lib.attempt("personality", lib.syscall, "personality", 0x0040000)
    lib.attempt("landlock", lib.syscall, "landlock_create_ruleset", bytes(8), 8, 0)


choose = lib.once(attack)
