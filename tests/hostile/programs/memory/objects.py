# tries: keep more and more objects
# must: play on or crash
# walls: rlimits, memory watch, cgroup
# each: bytes lists strings ints
import lib
from given import ARGUMENT


def take():
    kept = []
    make = {
        "bytes": lambda: bytes(1 << 20),
        "lists": lambda: [None] * (1 << 17),
        "strings": lambda: "x" * (1 << 20),
        "ints": lambda: 1 << (1 << 23),
    }[ARGUMENT]
    while True:
        kept.append(make())
        yield len(kept)


choose = lib.holding(take)
