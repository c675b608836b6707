# tries: raise its own and others' limits
# must: play on
# walls: rlimits, seccomp
import resource

import lib


def attack():
    for name in (
        "AS",
        "DATA",
        "STACK",
        "NPROC",
        "NOFILE",
        "FSIZE",
        "CPU",
        "MEMLOCK",
        "MSGQUEUE",
        "CORE",
    ):
        which = getattr(resource, f"RLIMIT_{name}", 12)
        _, hard = resource.getrlimit(which)
        lib.attempt(f"{name} {hard}", resource.setrlimit, which, (hard, hard + 1))
        lib.attempt(f"{name} without end", resource.setrlimit, which, (resource.RLIM_INFINITY,) * 2)
        if hasattr(resource, "prlimit"):
            lib.attempt(f"{name} of another", resource.prlimit, 2, which)


choose = lib.once(attack)
