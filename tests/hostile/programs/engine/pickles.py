# tries: run code from a pickle, a marshal or a code object
# must: play on or crash
# walls: seccomp, rlimits
# each: system nested marshal
import marshal
import os
import pickle

import lib
from given import ARGUMENT


class Command:
    def __reduce__(self):
        return (os.system, ("echo GOT-THROUGH >&2",))


def attack():
    match ARGUMENT:
        case "system":
            pickle.loads(pickle.dumps(Command()))
        case "nested":
            pickle.loads(b"(" * 10_000_000 + b".")
        case "marshal":
            marshal.loads(b"[" + b"\xff\xff\xff\x7f")


def attack_and_tell():
    try:
        attack()
    except (pickle.UnpicklingError, EOFError, ValueError, MemoryError, OSError) as error:
        lib.tell(f"REFUSED {error!r:.200}")


choose = lib.once(attack_and_tell)
