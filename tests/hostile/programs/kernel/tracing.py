# tries: observe the kernel: bpf, perf, userfaultfd, fanotify, the log
# must: play on
# walls: seccomp
import ctypes

import lib


def attack():
    zeros = ctypes.create_string_buffer(256)
    for command in range(0, 40):
        lib.attempt(f"bpf {command}", lib.syscall, "bpf", command, zeros, 128)
    for kind in range(6):
        event = ctypes.create_string_buffer(
            kind.to_bytes(4, "little") + (128).to_bytes(4, "little") + bytes(120)
        )
        lib.attempt(f"perf {kind}", lib.syscall, "perf_event_open", event, 0, -1, -1, 0)
    lib.attempt("userfaultfd", lib.syscall, "userfaultfd", 1)
    lib.attempt("fanotify", lib.syscall, "fanotify_init", 0, 0)
    lib.attempt("syslog", lib.syscall, "syslog", 3, zeros, 256)
    lib.attempt("cookies", lib.syscall, "lookup_dcookie", 0, zeros, 256)
    lib.attempt(
        "security modules",
        lib.syscall,
        "lsm_list_modules",
        zeros,
        ctypes.byref(ctypes.c_int(256)),
        0,
    )


choose = lib.once(attack)
