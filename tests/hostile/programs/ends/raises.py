# tries: raise objects that are not errors, from every method
# must: crash
# walls: referee
# each: GeneratorExit KeyboardInterrupt StopIteration BaseException RecursionError
import builtins

import lib
from given import ARGUMENT


def attack():
    raise getattr(builtins, ARGUMENT)


choose = lib.once(attack)
