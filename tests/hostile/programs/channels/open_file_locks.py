# tries: send bits by open file description locks (OFD)
# must: play on
# walls: seccomp, root
# each: library null
import fcntl
import os
import struct

import lib
from given import ARGUMENT

PATH = {"library": os.__file__, "null": "/dev/null"}[ARGUMENT]


class Bot(lib.Whisperer):
    def prepare(self):
        self.fd = os.open(PATH, os.O_RDONLY)

    def send(self, bit):
        fcntl.fcntl(
            self.fd, 37, struct.pack("hhqqi4x", fcntl.F_RDLCK if bit else fcntl.F_UNLCK, 0, 7, 1, 0)
        )

    def hear(self):
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 7, 1, 0)
        return int(struct.unpack("hhqqi4x", fcntl.fcntl(self.fd, 36, asked))[0] != fcntl.F_UNLCK)
