# tries: send bits by allocating and freeing memory, which changes the host's statistics
# must: play on
# walls: seccomp
# each: sysinfo statfs pages
import ctypes
import os

import lib
from given import ARGUMENT


class Bot(lib.Whisperer):
    kept = None

    def send(self, bit):
        self.kept = None
        if bit:
            self.kept = bytearray(b"x" * (8 << 20))

    def hear(self):
        if ARGUMENT == "statfs":
            return -os.statvfs("/tmp").f_bavail
        if ARGUMENT == "pages":
            return -os.sysconf("SC_AVPHYS_PAGES")
        figures = ctypes.create_string_buffer(128)
        lib.syscall("sysinfo", figures)
        return -int.from_bytes(figures.raw[40:48], "little")
