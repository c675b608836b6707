# tries: create threads that create threads in Python, with a move in between
# must: play on or time or crash
# walls: rlimits, referee
import threading

import lib


def breed():
    while True:
        try:
            threading.Thread(target=breed, daemon=True).start()
        except RuntimeError:
            pass


choose = lib.once(breed)
