# tries: send bits by loading pages of a shared file into memory
# must: play on
# walls: seccomp
# each: mincore preadv2 cachestat
import ctypes
import mmap
import os

import lib
from given import ARGUMENT


class Bot(lib.Whisperer):
    def prepare(self):
        folder = os.path.dirname(os.__file__)
        paths = sorted(f"{folder}/encodings/{name}" for name in os.listdir(f"{folder}/encodings"))
        self.files = iter(
            [path for path in paths if os.path.isfile(path) and os.path.getsize(path) >= 4096]
            or paths
        )
        self.buffer = ctypes.create_string_buffer(4096)
        self.vector = (ctypes.c_void_p * 2)(ctypes.addressof(self.buffer), 4096)

    def send(self, bit):
        path = next(self.files)
        if bit:
            with open(path, "rb") as file:
                file.read(4096)

    def hear(self):
        fd = os.open(next(self.files), os.O_RDONLY)
        try:
            return self.cached(fd)
        finally:
            os.close(fd)

    def cached(self, fd):
        if ARGUMENT == "cachestat":
            lib.syscall("cachestat", fd, bytes(16), self.buffer, 0)
            return int(self.buffer.raw[0] > 0)
        if ARGUMENT == "mincore":
            pages = mmap.mmap(fd, 4096, prot=3, flags=mmap.MAP_PRIVATE)
            start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
            lib.syscall("mincore", start, 4096, self.buffer)
            return self.buffer.raw[0] & 1
        try:
            return int(lib.syscall("preadv2", fd, self.vector, 1, 0, 0, 8) > 0)
        except BlockingIOError:
            return 0
