# tries: own the host's files, as root would
# must: play on
# walls: user
import os

import lib
from given import ROOT_STARTS

# An ordinary user who starts the bots owns the files that they share.
PATHS = ("/dev/null", "/", os.__file__) if ROOT_STARTS else ("/dev/null",)


def attack():
    for path in PATHS:
        if os.stat(path).st_uid == os.getuid():
            lib.got(f"{path} is its own")


choose = lib.once(attack)
