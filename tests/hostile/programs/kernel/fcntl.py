# tries: use the fcntl calls that affect other processes
# must: play on
# walls: seccomp
import fcntl
import os
import struct

import lib

LOCK = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 1, 0)
COMMANDS = {
    "F_SETSIG": (10, 9),
    "F_SETOWN_EX": (15, bytes(8)),
    "F_SETLEASE": (1024, fcntl.F_RDLCK),
    "F_GETLEASE": (1025, 0),
    "F_NOTIFY": (1026, 0x8000003F),
    "F_SETPIPE_SZ": (1031, 1 << 20),
    "F_ADD_SEALS": (1033, 1),
    "F_GET_RW_HINT": (1035, bytes(8)),
    "F_SET_RW_HINT": (1036, bytes([2]) + bytes(7)),
    "F_SETLK": (6, LOCK),
    "F_SETLKW": (7, LOCK),
    "F_GETLK": (5, LOCK),
    "F_OFD_SETLK": (37, LOCK),
    "F_OFD_GETLK": (36, LOCK),
    "F_OFD_SETLKW": (38, LOCK),
}


def attack():
    shared = [
        os.open(path, os.O_RDONLY)
        for path in (os.__file__, os.path.dirname(os.__file__), "/dev/null")
    ]
    pipe = lib.channel()
    for name, (command, argument) in COMMANDS.items():
        for fd in (*shared, *pipe):
            lib.attempt(f"{name} on {fd}", fcntl.fcntl, fd, command, argument)


choose = lib.once(attack)
