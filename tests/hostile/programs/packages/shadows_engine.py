# tries: bring an engine of its own, and see whether the referee plays by it
# must: play on
# walls: package, referee
import engine

import lib


def choose(view, legal):
    lib.tried()
    assert engine.MINE
    return legal[0]


# === engine/__init__.py ===
MINE = True
Match = Format = Record = None
# === engine/results.py ===
with_faults = None
