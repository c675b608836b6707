# tries: fail in methods that return no answer: event, deal, end
# must: crash or play on
# walls: referee
# each: event deal end
import lib
from given import ARGUMENT


class Bot:
    def choose(self, view, legal):
        lib.tried()
        return legal[0]


def fail(self, what):
    lib.tried()
    raise RuntimeError("here")


setattr(Bot, ARGUMENT, fail)
