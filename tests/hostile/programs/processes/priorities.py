# tries: get more processor time, or take it from others
# must: play on
# walls: seccomp
import os

import lib


def attack():
    parameters = os.sched_param(1)
    for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):
        for nice in (-20, 0, 19):
            lib.attempt(f"nice {nice}", os.setpriority, which, 0, nice)
    for policy in (os.SCHED_FIFO, os.SCHED_RR, os.SCHED_BATCH, os.SCHED_IDLE):
        lib.attempt(f"policy {policy}", os.sched_setscheduler, 0, policy, parameters)
    lib.attempt(
        "deadline", lib.syscall, "sched_setattr", 0, (48).to_bytes(4, "little") + bytes(44), 0
    )
    lib.attempt("disk", lib.syscall, "ioprio_set", 1, 0, 1 << 13)
    for cores in ({0}, {1}, {0, 1}, set(range(64))):
        lib.attempt(f"cores {cores}", os.sched_setaffinity, 0, cores)
    lib.attempt("memory policy", lib.syscall, "set_mempolicy", 1, 0, 0)


choose = lib.once(attack)
