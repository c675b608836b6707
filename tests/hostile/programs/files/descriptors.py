# tries: find descriptors that were left open
# must: play on
# walls: namespaces
import os
import stat

import lib


def attack():
    for fd in range(1024):
        try:
            found = os.fstat(fd)
        except OSError:
            continue
        pipe = stat.S_ISFIFO(found.st_mode)
        null = stat.S_ISCHR(found.st_mode) and found.st_rdev == os.makedev(1, 3)
        if not pipe and not null:
            lib.got(f"descriptor {fd}: {found}")


choose = lib.once(attack)
