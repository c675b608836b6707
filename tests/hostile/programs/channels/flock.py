# tries: send bits by flock on a file that both can open
# must: play on
# walls: seccomp, root
# each: library null folder
import fcntl
import os

import lib
from given import ARGUMENT

PATH = {"library": os.__file__, "null": "/dev/null", "folder": "/"}[ARGUMENT]


class Bot(lib.Whisperer):
    def prepare(self):
        self.fd = os.open(PATH, os.O_RDONLY)

    def send(self, bit):
        fcntl.flock(self.fd, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)

    def hear(self):
        try:
            fcntl.flock(self.fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        return 0
