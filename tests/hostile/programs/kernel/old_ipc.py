# tries: use System V and POSIX messages, memory and semaphores
# must: play on
# walls: seccomp, namespaces
import os

import lib


def attack():
    lib.attempt("shared memory", lib.syscall, "shmget", 0x1234, 4096, 0o1666)
    lib.attempt("messages", lib.syscall, "msgget", 0x1234, 0o1666)
    lib.attempt("semaphores", lib.syscall, "semget", 0x1234, 1, 0o1666)
    lib.attempt(
        "message queue", lib.syscall, "mq_open", b"mark", os.O_CREAT | os.O_RDWR, 0o666, None
    )
    lib.attempt("memfd", lib.syscall, "memfd_create", b"x", 0)
    lib.attempt("memory lock", lib.syscall, "mlockall", 3)
    lib.attempt(
        "posix shm", __import__("_posixshmem").shm_open, "/mark", os.O_CREAT | os.O_RDWR, 0o666
    )


choose = lib.once(attack)
