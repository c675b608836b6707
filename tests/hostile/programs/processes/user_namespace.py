# tries: become root in a new user namespace
# must: play on
# walls: seccomp, namespaces
import os

import lib


def attack():
    for name, bits in {
        "user": 0x1000_0000,
        "mount": 0x2_0000,
        "net": 0x4000_0000,
        "pid": 0x2000_0000,
        "ipc": 0x0800_0000,
        "uts": 0x0400_0000,
        "cgroup": 0x0200_0000,
        "time": 0x80,
    }.items():
        lib.attempt(name, lib.syscall, "unshare", bits)
        lib.attempt(f"user and {name}", lib.syscall, "unshare", bits | 0x1000_0000)
    lib.attempt("join", lib.syscall, "setns", os.open("/dev/null", os.O_RDONLY), 0)


choose = lib.once(attack)
