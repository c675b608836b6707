# tries: store memory in files without a name
# must: play on or crash
# walls: seccomp, cgroup
# each: memfd secret tmpfile shm sysv
import ctypes
import os

import lib
from given import ARGUMENT


def take():
    block = bytes(1 << 20)
    size = 0
    if ARGUMENT == "sysv":
        while True:
            lib.syscall("shmat", lib.syscall("shmget", 0, 1 << 20, 0o1600), 0, 0)
            size += 1
            yield size
    fd = {
        "memfd": lambda: lib.syscall("memfd_create", b"x", 0),
        "secret": lambda: lib.syscall("memfd_secret", 0),
        "tmpfile": lambda: os.open("/tmp", os.O_TMPFILE | os.O_RDWR),
        "shm": lambda: os.open("/dev/shm/x", os.O_CREAT | os.O_RDWR),
    }[ARGUMENT]()
    while True:
        size += os.write(fd, block) / len(block)
        yield size


choose = lib.holding(take, 8)
