# tries: flood its log until a reader blocks or is full
# must: play on
# walls: output limits
import os

import lib


def choose(view, legal):
    for number in range(200):
        os.write(2, b"%06d" % number + b"x" * 4089 + b"\n")
    lib.tell("TRIED")
    return legal[0]
