# tries: start a program by loading an array with a pickled object
# must: play on
# walls: seccomp, namespaces
# each: fork posix_spawn
import io
import os

import lib
import numpy as np
from given import ARGUMENT


class Payload:
    def __reduce__(self):
        if ARGUMENT == "fork":
            return os.fork, ()
        return os.posix_spawn, ("/usr/bin/python3", ["python3", "-c", "pass"], {})


def attack():
    file = io.BytesIO()
    np.save(file, np.array([Payload()], object), allow_pickle=True)
    file.seek(0)
    lib.attempt(ARGUMENT, lambda: np.load(file, allow_pickle=True)[0])


choose = lib.once(attack)

# === cardroom.toml ===
needs = ["numpy"]
