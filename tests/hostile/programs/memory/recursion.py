# tries: recurse until no memory is free
# must: crash
# walls: rlimits
import sys

import lib

sys.setrecursionlimit(10**9)


def deeper(kept):
    return deeper([kept, bytes(1000)])


choose = lib.once(lambda: deeper(None))
