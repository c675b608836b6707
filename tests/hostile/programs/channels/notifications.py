# tries: send bits by reading a file in a folder that the receiver watches (F_NOTIFY)
# must: play on
# walls: seccomp, root
import fcntl
import os
import signal

import lib


class Bot(lib.Whisperer):
    def prepare(self):
        folder = os.path.join(os.path.dirname(os.__file__), "json")
        self.file = os.path.join(folder, "tool.py")
        self.seen = 0
        signal.signal(signal.SIGIO, self.notice)
        self.fd = os.open(folder, os.O_RDONLY)
        fcntl.fcntl(self.fd, 1026, 0x80000001)  # DN_ACCESS, repeatedly

    def notice(self, *_):
        self.seen = 1

    def send(self, bit):
        if bit:
            with open(self.file, "rb") as file:
                file.read(10)

    def hear(self):
        seen, self.seen = self.seen, 0
        return seen
