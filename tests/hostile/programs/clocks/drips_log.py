# tries: keep the referee busy with its log instead of a move
# must: time
# walls: referee
import os

import lib


def attack():
    lib.tell("TRIED")
    while True:
        os.write(2, b"wait\n" * 100 + b"TRIED\n")


choose = lib.once(attack)
