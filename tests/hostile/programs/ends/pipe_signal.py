# tries: let a pipe send it SIGKILL (F_SETSIG), as if the signal had no sender
# must: play on or crash or time; not saying "killed from outside"
# walls: kernel's word, seccomp
# each: 9 19 31
import fcntl
import os

import lib
from given import ARGUMENT


def attack():
    out, into = os.pipe()
    try:
        fcntl.fcntl(out, 10, int(ARGUMENT))  # F_SETSIG
        fcntl.fcntl(out, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(out, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(into, b"now")
    except OSError as error:
        lib.tell(f"REFUSED {error}")


choose = lib.once(attack)
