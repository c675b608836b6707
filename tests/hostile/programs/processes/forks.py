# tries: create another process by every possible call
# must: play on
# walls: seccomp, rlimits
import os

import lib

SIGCHLD = 17


def attack():
    me = os.getpid()
    flags = {
        "process": SIGCHLD,
        "vfork": 0x4100 | SIGCHLD,
        "shared memory": 0x100 | SIGCHLD,
        "sibling": 0x8000 | SIGCHLD,
        "user namespace": 0x1000_0000 | SIGCHLD,
        "pid namespace": 0x2000_0000 | SIGCHLD,
        "untraced": 0x0080_0000 | SIGCHLD,
    }
    calls = {
        name: lambda bits=bits: lib.syscall("clone", bits, 0, 0, 0, 0)
        for name, bits in flags.items()
    }
    calls["fork"] = lambda: lib.syscall("fork")
    calls["os.fork"] = os.fork
    calls["clone3"] = lambda: lib.syscall(
        "clone3", SIGCHLD.to_bytes(40, "big")[::-1] * 2 + bytes(8), 88
    )
    for name, call in calls.items():
        lib.attempt(name, call)
        if os.getpid() != me:
            os._exit(0)


choose = lib.once(attack)
