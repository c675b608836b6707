# tries: exit from a thread while the first one waits
# must: crash; not saying "killed from outside"
# walls: kernel's word
import os
import threading
import time

import lib


def attack():
    threading.Thread(target=os._exit, args=(137,)).start()
    time.sleep(5)


choose = lib.once(attack)
