# tries: compute on several cores with the threads of the matrix library
# must: play on or crash
# walls: rlimits, user, freezing
# each: 1 4 64
import ctypes
import time
from pathlib import Path

import lib
import numpy as np
from given import ARGUMENT


def attack():
    for path in Path(np.__path__[0] + ".libs").glob("*openblas*"):
        blas = ctypes.CDLL(str(path))
        for name in ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads"):
            if hasattr(blas, name):
                getattr(blas, name)(int(ARGUMENT))
    matrix = np.ones((400, 400))
    wall, processor = time.monotonic(), time.process_time()
    while time.monotonic() < wall + 0.15:
        matrix @ matrix
    used = (time.process_time() - processor) / (time.monotonic() - wall)
    if used > 1.3:
        lib.got(f"{used:.1f} cores")


choose = lib.once(attack)

# === cardroom.toml ===
needs = ["numpy"]
