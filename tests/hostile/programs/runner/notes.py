# tries: return notes that cause harm when they are read
# must: play on or crash
# walls: referee
# each: raising huge number nested self
import lib
from given import ARGUMENT


class Raising:
    def __str__(self):
        raise SystemExit(0)


loop = []
loop.append(loop)
NOTES = {
    "raising": Raising(),
    "huge": "x" * 50_000,
    "number": 10**4000,
    "nested": [[[[]]]] * 9,
    "self": loop,
}


def choose(view, legal):
    lib.tried()
    return {"move": legal[0], "note": NOTES[ARGUMENT]}
