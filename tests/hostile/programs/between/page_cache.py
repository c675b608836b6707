# tries: leave a message for the next match in the pages of shared files
# must: play on
# walls: seccomp, root
# each: mincore preadv2 cachestat time
import ctypes
import mmap
import os
import statistics
import time

import lib
from given import ARGUMENT

FOLDER = os.path.dirname(os.__file__)


def files():
    """Several files for each bit, which bots rarely read."""
    used = ("", "collections", "ctypes", "encodings", "importlib", "json", "re", "__pycache__")
    paths = sorted(
        f"{top}/{name}"
        for top, _, names in os.walk(FOLDER)
        if top[len(FOLDER) + 1 :].split("/")[0] not in used and "__pycache__" not in top
        for name in names
    )
    rare = [path for path in paths if os.path.isfile(path) and os.path.getsize(path) >= 4096]
    return [rare[bit::64][:3] for bit in range(64)]


def send(bits):
    for paths, bit in zip(files(), bits):
        for path in paths if bit else ():
            with open(path, "rb") as file:
                file.read(4096)


def hear():
    buffer = ctypes.create_string_buffer(4096)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 4096)
    return [statistics.median(look(path, buffer, vector) for path in paths) for paths in files()]


def look(path, buffer, vector):
    fd = os.open(path, os.O_RDONLY)
    if ARGUMENT == "time":
        before = time.perf_counter_ns()
        os.pread(fd, 1, 0)
        found = before - time.perf_counter_ns()
    elif ARGUMENT == "cachestat":
        lib.syscall("cachestat", fd, bytes(16), buffer, 0)
        found = int(buffer.raw[0] > 0)
    elif ARGUMENT == "mincore":
        pages = mmap.mmap(fd, 4096, prot=3, flags=mmap.MAP_PRIVATE)
        lib.syscall("mincore", ctypes.addressof(ctypes.c_char.from_buffer(pages)), 4096, buffer)
        found = buffer.raw[0] & 1
    else:
        try:
            found = int(lib.syscall("preadv2", fd, vector, 1, 0, 0, 8) > 0)
        except BlockingIOError:
            found = 0
    os.close(fd)
    return found


choose = lib.bulk(send, hear)
