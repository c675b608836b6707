# tries: leave its session and process group, and outlive the match
# must: play on
# walls: seccomp
import os

import lib


def attack():
    lib.attempt("session", os.setsid)
    lib.attempt("group", os.setpgid, 0, 0)
    lib.attempt("parent's death", lib.syscall, "prctl", 1, 0)
    lib.attempt("subreaper", lib.syscall, "prctl", 36, 1)
    lib.attempt("hang-up", lib.syscall, "vhangup")


choose = lib.once(attack)
