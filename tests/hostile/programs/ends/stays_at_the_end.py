# tries: stay after the end of the match and ignore signals
# must: play on
# walls: kernel's word
import signal
import time

import lib


class Bot:
    def choose(self, view, legal):
        return legal[0]

    def end(self, result):
        lib.tried()
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass
