# tries: think in a thread in the opponent's turn
# must: play on or time
# walls: freezing
import threading

import lib


def think():
    while True:
        pass


class Bot:
    asked = False

    def choose(self, view, legal):
        lib.account()
        if not self.asked:
            lib.tried()
            threading.Thread(target=think, daemon=True).start()
            self.asked = True
        return legal[0]
