# tries: map and write private pages, beyond the limit of malloc
# must: play on or crash
# walls: rlimits, memory watch, cgroup
import mmap

import lib


def take():
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        kept[-1].write(b"x" * (1 << 20))
        yield len(kept)


choose = lib.holding(take)
