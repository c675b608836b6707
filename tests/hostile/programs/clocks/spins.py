# tries: compute for ever
# must: time
# walls: referee
import lib


def attack():
    while True:
        pass


choose = lib.once(attack)
