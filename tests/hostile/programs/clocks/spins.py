# tries: compute forever
# must: time
# walls: referee
import lib


def attack():
    while True:
        pass


choose = lib.once(attack)
