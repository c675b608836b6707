# tries: execute another program
# must: play on
# walls: seccomp, root
import os
import sys

import lib


def attack():
    environment = {"MARK": "1"}
    for path in (
        sys.executable or "/usr/bin/python3",
        "/bin/sh",
        "/usr/bin/env",
        "./bot.py",
        "/proc/self/exe",
    ):
        lib.attempt(f"execv {path}", os.execv, path, [path, "-c", "print('GOT-THROUGH')"])
        lib.attempt(f"execve {path}", os.execve, path, [path], environment)
        lib.attempt(f"execveat {path}", lib.syscall, "execveat", -100, path.encode(), None, None, 0)
    fd = os.open("bot.py", os.O_RDONLY)
    lib.attempt("fexecve", lib.syscall, "execveat", fd, b"", None, None, 0x1000)


choose = lib.once(attack)
