# tries: learn the load and the free space of the host
# must: play on
# walls: seccomp, root
import ctypes
import os

import lib


def full(path):
    found = os.statvfs(path)
    if not (found.f_blocks or found.f_bfree or found.f_files):
        raise OSError("it tells nothing")
    return found


def attack():
    lib.attempt("sysinfo", lib.syscall, "sysinfo", ctypes.create_string_buffer(256))
    lib.attempt("load", os.getloadavg)
    for path in ("/", "/usr", os.__file__, "/cardroom"):
        lib.attempt(f"disk of {path}", full, path)
    for mask in (
        0x7FF,
        0x1000,
        0x4000,
    ):  # statx returns the id of the mount even if it is not requested
        buffer = ctypes.create_string_buffer(256)
        lib.attempt("statx", lib.syscall, "statx", -100, b"/", 0, mask, buffer)
    if os.uname().nodename != "seat":
        lib.got(f"the host is called {os.uname().nodename}")


choose = lib.once(attack)
