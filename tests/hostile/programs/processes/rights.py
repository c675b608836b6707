# tries: become another user with more rights
# must: play on
# walls: seccomp, user, namespaces
import os

import lib


def attack():
    for number in (0, 1, 65534):
        lib.attempt(f"uid {number}", os.setuid, number)
        lib.attempt(f"gid {number}", os.setgid, number)
        lib.attempt(f"uids {number}", os.setresuid, number, number, number)
        lib.attempt(f"gids {number}", os.setresgid, number, number, number)
    lib.attempt("groups", os.setgroups, [0])
    lib.attempt("ambient", lib.syscall, "prctl", 47, 2, 1, 0, 0)
    lib.attempt("securebits", lib.syscall, "prctl", 28, 0)
    lib.attempt("keep", lib.syscall, "prctl", 8, 1)
    if os.getuid() == 0:
        lib.got("it is root")


choose = lib.once(attack)
