# tries: return objects that pretend to be moves
# must: illegal or garbage or crash or play on
# walls: referee
# each: none number bytes list subclass liar dictionary tuple generator type deep
import lib
from given import ARGUMENT


class Text(str):
    __slots__ = ()

    def __str__(self):
        return "XX"

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__
    encode = None


class Liar:
    __class__ = str

    def __str__(self):
        return "XX"


class Odd(dict):
    def get(self, key, default=None):
        return self if key == "move" else default


def answer(legal):
    match ARGUMENT:
        case "none":
            return None
        case "number":
            return 0
        case "bytes":
            return legal[0].encode()
        case "list":
            return legal
        case "subclass":
            return Text(legal[0])
        case "liar":
            return Liar()
        case "dictionary":
            return Odd(move=legal[0])
        case "tuple":
            return (legal[0], "note")
        case "generator":
            return (move for move in legal)
        case "type":
            return str
    return {"move": {"move": {"move": legal[0]}}}


def choose(view, legal):
    lib.tried()
    return answer(legal)
