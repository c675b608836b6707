# tries: send bits by filling a disk that all files share
# must: play on
# walls: seccomp, root
import os

import lib


class Bot(lib.Whisperer):
    def prepare(self):
        self.fd = os.open("bot.py", os.O_RDWR)

    def send(self, bit):
        os.ftruncate(self.fd, 0)
        if bit:
            os.pwrite(self.fd, bytes(2 << 20), 0)

    def hear(self):
        try:
            os.pwrite(self.fd, bytes(3 << 20), 0)
            return 0
        except OSError:
            return 1
        finally:
            os.ftruncate(self.fd, 0)
