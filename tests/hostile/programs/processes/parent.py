# tries: reach its parent process
# must: play on
# walls: seccomp, namespaces
import os

import lib


def attack():
    parent = os.getppid()
    if parent:
        lib.got(f"it sees its parent, {parent}")
        lib.attempt("signal it", os.kill, parent, 0)
    if os.getpid() > 2:
        lib.got(f"it is number {os.getpid()} of the host's")


choose = lib.once(attack)
