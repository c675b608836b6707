# tries: crash the interpreter in all possible ways
# must: crash or time; not saying "killed from outside"
# walls: kernel's word
# each: null abort jump stack code
import ctypes
import os
import sys

import lib
from given import ARGUMENT


def deeper(depth):
    return deeper([depth]) if sys.setrecursionlimit(10**9) is None else None


def attack():
    match ARGUMENT:
        case "null":
            ctypes.string_at(0)
        case "abort":
            os.abort()
        case "jump":
            ctypes.CFUNCTYPE(None)(1)()
        case "stack":
            deeper(0)
        case "code":
            eval((lambda: 0).__code__.replace(co_code=b"\x64\xff" * 40, co_consts=()))
    raise RuntimeError("still here")


choose = lib.once(attack)
