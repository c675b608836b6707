# tries: fill the kernel with small objects that no limit of memory counts
# must: play on
# walls: seccomp, rlimits, cgroup
# each: locks timers signals maps
import ctypes
import fcntl
import mmap
import os
import signal
import struct

import lib
from given import ARGUMENT

MANY = {"locks": 2_000, "maps": 70_000}.get(ARGUMENT, 20_000)


def locks():
    with open("bot.py", "r+b") as file:
        for at in range(0, 8 * MANY, 2):
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)
            yield


def timers():
    while True:
        lib.syscall(
            "timer_create", 1, struct.pack("qii48x", 0, 10, 1), ctypes.byref(ctypes.c_int())
        )
        yield


def signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(34, 65))
    while True:
        lib.syscall("tgkill", os.getpid(), lib.libc.gettid(), 40)
        yield


def maps():
    kept = []
    while True:  # each creates a record in the kernel, for pages that are never touched
        kept.append(
            mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=len(kept) % 2 + 1)
        )
        yield


def take():
    for number, _ in enumerate(globals()[ARGUMENT]()):
        yield number
        if number > 2 * MANY:
            return


# Mappings are bounded by the kernel itself (vm.max_map_count).
choose = lib.holding(take, MANY, ARGUMENT)
