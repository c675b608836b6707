# tries: delay the end with exit handlers, threads and destructors
# must: play on
# walls: kernel's word
import atexit
import threading
import time

import lib


class Stubborn:
    def __del__(self):
        time.sleep(60)


lib.tried()
atexit.register(time.sleep, 60)
threading.Thread(target=time.sleep, args=(60,)).start()
kept = Stubborn()


def choose(view, legal):
    return legal[0]
