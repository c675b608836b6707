# tries: put harmful text into the record's notes
# must: play on
# walls: referee
# each: huge escape override surrogate nul html lines wide
import lib
from given import ARGUMENT

TEXTS = {
    "huge": "x" * 60_000,
    "escape": "\x1b]0;owned\x07\x1b[2J\x9b31m",
    "override": "\u202e\u2066\u200f\ufeff",
    "surrogate": "\ud800\udfff",
    "nul": "\0" * 500,
    "html": "</script><img src=x onerror=alert(1)>{{7*7}}",
    "lines": "\r\n\v\f\x85\u2028" * 80,
    "wide": "\U000e0001" * 500 + "\N{COMBINING GRAVE ACCENT}" * 400,
}


def choose(view, legal):
    lib.tried()
    return {"move": legal[0], "note": TEXTS[ARGUMENT]}
