# tries: open more descriptors than its limit
# must: play on
# walls: rlimits
import os

import lib
from given import FILES


def attack():
    kept = []
    try:
        while len(kept) < 8 * FILES:
            kept.append(os.dup(0))
    except OSError as error:
        lib.tell(f"REFUSED {error}")
    if len(kept) > FILES:
        lib.got(f"{len(kept)} descriptors")
    for fd in kept:
        os.close(fd)


choose = lib.once(attack)
