# tries: send ioctl calls to devices and files
# must: play on
# walls: seccomp
import fcntl
import os

import lib

REQUESTS = {
    "TIOCSTI": 0x5412,
    "TIOCSCTTY": 0x540E,
    "TIOCLINUX": 0x541C,
    "FIOASYNC": 0x5452,
    "FIOQSIZE": 0x5460,
    "FIBMAP": 1,
    "FIGETBSZ": 2,
    "FIFREEZE": 0xC0045877,
    "FITHAW": 0xC0045878,
    "FITRIM": 0xC0185879,
    "FICLONE": 0x40049409,
    "FIDEDUPERANGE": 0xC0189436,
    "FS_IOC_GETFLAGS": 0x80086601,
    "FS_IOC_SETFLAGS": 0x40086602,
    "FS_IOC_FIEMAP": 0xC020660B,
    "FS_IOC_GETVERSION": 0x80087601,
    "RNDADDENTROPY": 0x40085203,
    "RNDCLEARPOOL": 0x5206,
    "SIOCGIFCONF": 0x8912,
    "NS_GET_PARENT": 0xB702,
}


def attack():
    paths = [
        path
        for path in ("bot.py", os.__file__, "/dev/urandom", "/dev/null", "/tmp")
        if os.path.exists(path)
    ]
    files = [0, 1, 2, *(os.open(path, os.O_RDONLY) for path in paths)]
    for name, request in REQUESTS.items():
        for fd in files:
            lib.attempt(f"{name} on {fd}", fcntl.ioctl, fd, request, bytearray(256))


choose = lib.once(attack)
