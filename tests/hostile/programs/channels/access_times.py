# tries: send bits by the access time of a shared file
# must: play on
# walls: root, namespaces
import os

import lib


class Bot(lib.Whisperer):
    def prepare(self):
        self.file = os.path.join(os.path.dirname(os.__file__), "json", "tool.py")
        self.last = os.stat(self.file).st_atime_ns

    def send(self, bit):
        if bit:
            with open(self.file, "rb") as file:
                file.read()

    def hear(self):
        last, self.last = self.last, os.stat(self.file).st_atime_ns
        return int(self.last != last)
