# tries: own the host's files, as root would
# must: play on
# walls: user
import os

import lib


def attack():
    for path in ("/dev/null", "/dev/urandom", "/dev/zero"):
        if os.path.exists(path) and os.stat(path).st_uid == os.getuid():
            lib.got(f"{path} is its own")


choose = lib.once(attack)
