# tries: hold more memory in arrays than its limit, at once and little by little
# must: play on or crash
# walls: rlimits, memory watch, cgroup
import lib
import numpy as np
from given import MEMORY_MIB


def take():
    lib.attempt("one array above the limit", np.ones, MEMORY_MIB << 18)
    kept = []
    while True:
        kept.append(np.ones(1 << 17))
        yield len(kept)


choose = lib.holding(take)

# === cardroom.toml ===
needs = ["numpy"]
