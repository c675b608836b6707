# tries: kill itself by a timer
# must: play on or crash or time; not saying "killed from outside"
# walls: kernel's word, seccomp
# each: 9 14 19 24 31
import ctypes
import struct
import time

import lib
from given import ARGUMENT


def attack():
    lib.libc.alarm(1)
    event = struct.pack("qii48x", 0, int(ARGUMENT), 0)
    timer = ctypes.c_int()
    lib.syscall("timer_create", 1, event, ctypes.byref(timer))
    lib.libc.timer_settime(timer, 0, struct.pack("4q", 0, 1_000_000, 0, 1_000_000), None)
    for kind in range(3):
        lib.libc.setitimer(kind, struct.pack("4q", 0, 1000, 0, 1000), None)
    time.sleep(0.02)


choose = lib.once(attack)
