# tries: compute forever inside one call of a C function
# must: time
# walls: referee
# each: power regex range sum
import re

import lib
from given import ARGUMENT


def attack():
    match ARGUMENT:
        case "power":
            return 10**10**9
        case "regex":
            return re.match("(a|aa)+$", "a" * 60 + "b")
        case "range":
            return 10**12 in (n for n in iter(int, 1))
        case "sum":
            return sum(range(10**12))


choose = lib.once(attack)
