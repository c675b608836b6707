# tries: send bits by file leases: a held lease is visible, and breaking one sends a signal
# must: play on
# walls: seccomp, user
import fcntl
import os

import lib


class Bot(lib.Whisperer):
    def prepare(self):
        self.fd = os.open(os.__file__, os.O_RDONLY)

    def send(self, bit):
        fcntl.fcntl(self.fd, 1024, fcntl.F_RDLCK if bit else fcntl.F_UNLCK)

    def hear(self):
        return int(fcntl.fcntl(self.fd, 1025) != fcntl.F_UNLCK)
