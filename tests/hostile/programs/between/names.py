# tries: leave keys, queues, segments and semaphores for the next match
# must: play on
# walls: seccomp, namespaces
# each: keys shm sem msg
import ctypes

import lib
from given import ARGUMENT

CALLS = {"shm": ("shmget", 4096, 0o1666), "sem": ("semget", 1, 0o1666), "msg": ("msgget", 0o1666)}


def send(bits):
    for number, bit in enumerate(bits):
        if bit and ARGUMENT == "keys":
            lib.syscall("add_key", b"user", f"mark{number}".encode(), b"x", 1, -4)
        elif bit:
            name, *rest = CALLS[ARGUMENT]
            lib.syscall(name, 9000 + number, *rest)


def there(number):
    try:
        if ARGUMENT == "keys":
            lib.syscall("keyctl", 10, -4, b"user", f"mark{number}".encode(), 0)
        else:
            name, *rest = CALLS[ARGUMENT]
            lib.syscall(name, 9000 + number, *rest[:-1], 0o666)
    except OSError:
        return 0
    return 1


choose = lib.bulk(send, lambda: [there(number) for number in range(64)])
