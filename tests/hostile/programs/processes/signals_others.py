# tries: send signals to its parent, to all processes, to process groups
# must: play on
# walls: seccomp, namespaces
import os

import lib


def attack():
    for pid in (os.getppid() or 2, -1, -2, 2, 100, -os.getpgrp() or -1):
        lib.attempt(f"kill {pid}", os.kill, pid, 0)
        lib.attempt(f"queue {pid}", lib.syscall, "rt_sigqueueinfo", pid, 10, bytes(128))
    lib.attempt("pidfd_open", lib.syscall, "pidfd_open", 1, 0)
    lib.attempt("pidfd_send_signal", lib.syscall, "pidfd_send_signal", 0, 0, 0, 0)
    lib.attempt("pidfd_getfd", lib.syscall, "pidfd_getfd", 0, 0, 0)
    lib.attempt("tgkill", lib.syscall, "tgkill", 2, 2, 9)


choose = lib.once(attack)
