# tries: set the clock back, its own and the machine's
# must: play on
# walls: seccomp, user
import time

import lib


def attack():
    for clock in (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_PROCESS_CPUTIME_ID):
        lib.attempt(f"clock {clock}", time.clock_settime, clock, 0.0)
    lib.attempt("time namespace", lib.syscall, "unshare", 0x80)
    lib.attempt("adjtimex", lib.syscall, "adjtimex", b"\x01" + bytes(207))


choose = lib.once(attack)
