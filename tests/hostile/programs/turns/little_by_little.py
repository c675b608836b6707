# tries: think slightly less than the tolerated time, in every turn of the opponent
# must: play on or time
# walls: freezing
# each: 1 2 3
import threading
import time

import lib
from given import ARGUMENT

answered = threading.Semaphore(0)


def think():
    while answered.acquire():
        end = time.thread_time() + int(ARGUMENT) / 1000
        while time.thread_time() < end:
            pass


class Bot:
    asked = False

    def choose(self, view, legal):
        lib.account()
        if not self.asked:
            lib.tried()
            threading.Thread(target=think, daemon=True).start()
            self.asked = True
        answered.release()
        return legal[0]
