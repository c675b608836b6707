# tries: stop itself, so that the clock sees neither work nor waiting
# must: time or play on
# walls: referee, seccomp
import os
import signal

import lib


def attack():
    for stop in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN):
        try:
            os.kill(os.getpid(), stop)
        except OSError as error:
            lib.tell(f"REFUSED {error}")
    signal.raise_signal(signal.SIGTSTP)


choose = lib.once(attack)
