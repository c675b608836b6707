# tries: send bits by exhausting the pipe pages of one user
# must: play on
# walls: seccomp, user, rlimits
import fcntl
import os

import lib


class Bot(lib.Whisperer):
    def fill(self):
        ends = []
        try:
            while True:
                ends.append(os.pipe())
                fcntl.fcntl(ends[-1][1], 1031, 1 << 20)
        except OSError:
            pass
        return ends

    def prepare(self):
        self.ends = []

    def send(self, bit):
        self.empty()
        if bit:
            self.ends = self.fill()

    def empty(self):
        for pair in self.ends:
            for end in pair:
                os.close(end)
        self.ends = []

    def hear(self):
        self.ends = self.fill()
        sizes = sum(fcntl.fcntl(pair[1], 1032) for pair in self.ends)
        self.empty()
        return -sizes
