# tries: send bits by POSIX locks, which F_GETLK reveals
# must: play on
# walls: seccomp, root
# each: library null urandom
import fcntl
import os
import struct

import lib
from given import ARGUMENT

PATH = {"library": os.__file__, "null": "/dev/null", "urandom": "/dev/urandom"}[ARGUMENT]


class Bot(lib.Whisperer):
    def prepare(self):
        self.fd = os.open(PATH, os.O_RDONLY)

    def send(self, bit):
        fcntl.lockf(self.fd, fcntl.LOCK_SH if bit else fcntl.LOCK_UN, 1, 7)

    def hear(self):
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 7, 1, 0)
        return int(
            struct.unpack("hhqqi4x", fcntl.fcntl(self.fd, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK
        )
