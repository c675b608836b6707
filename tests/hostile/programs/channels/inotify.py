# tries: send bits by reading a file that the receiver watches with inotify
# must: play on
# walls: seccomp
import os

import lib


class Bot(lib.Whisperer):
    def prepare(self):
        self.file = os.path.join(os.path.dirname(os.__file__), "json", "tool.py")
        self.fd = lib.syscall("inotify_init1", os.O_NONBLOCK)
        lib.syscall("inotify_add_watch", self.fd, self.file.encode(), 1)

    def send(self, bit):
        if bit:
            with open(self.file, "rb") as file:
                file.read(10)

    def hear(self):
        try:
            return len(os.read(self.fd, 4096)) > 0
        except BlockingIOError:
            return 0
