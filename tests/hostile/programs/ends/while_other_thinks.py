# tries: exit in the middle of the opponent's turn
# must: crash; not saying "killed from outside"
# walls: kernel's word
import os
import threading

import lib


def attack():
    threading.Timer(0.002, os._exit, (137,)).start()


choose = lib.once(attack)
