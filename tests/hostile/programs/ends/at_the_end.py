# tries: exit with a terrible status when the match is over
# must: play on
# walls: kernel's word
# each: 0 1 86 137 193 255
import os

import lib
from given import ARGUMENT


class Bot:
    def choose(self, view, legal):
        return legal[0]

    def end(self, result):
        lib.tried()
        os._exit(int(ARGUMENT))
