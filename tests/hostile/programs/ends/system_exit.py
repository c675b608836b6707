# tries: exit by SystemExit with odd arguments
# must: crash; not saying "killed from outside"
# walls: kernel's word
# each: None 137 256 -9 99999999999999999999 text
import lib
from given import ARGUMENT


def attack():
    try:
        raise SystemExit(eval(ARGUMENT))
    except NameError:
        raise SystemExit(ARGUMENT) from None


choose = lib.once(attack)
