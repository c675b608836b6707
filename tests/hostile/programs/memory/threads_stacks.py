# tries: fill the stacks of the maximum number of threads
# must: play on or crash
# walls: rlimits, memory watch, cgroup
import threading
import time

import lib
from given import THREADS


def fill(done):
    kept = bytearray(15 << 20)
    kept[::4096] = b"x" * len(kept[::4096])
    done.append(kept)
    time.sleep(60)


def take():
    done = []
    for number in range(1, THREADS + 2):
        try:
            threading.Thread(target=fill, args=(done,), daemon=True).start()
        except RuntimeError as error:
            raise OSError(0, str(error)) from None
        time.sleep(0.005)
        yield len(done) * 15


choose = lib.holding(take)
