# tries: include its own engine, to see whether the referee uses it
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
