# tries: send itself signals that seem to come from outside
# must: play on or crash or time; not saying "killed from outside"
# walls: kernel's word, seccomp, namespaces
# each: 9 19 11 24 31 6 15
import os

import lib
from given import ARGUMENT


def attack():
    number, me = int(ARGUMENT), os.getpid()
    info = bytes([number]) + bytes(127)
    for call in (
        lambda: os.kill(me, number),
        lambda: lib.syscall("tkill", lib.libc.gettid(), number),
        lambda: lib.syscall("tgkill", me, lib.libc.gettid(), number),
        lambda: lib.syscall("rt_sigqueueinfo", me, number, info),
        lambda: lib.syscall("rt_tgsigqueueinfo", me, me, number, info),
    ):
        try:
            call()
        except OSError as error:
            lib.tell(f"REFUSED {error}")


choose = lib.once(attack)
