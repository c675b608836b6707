# tries: send bits by exhausting the timers and signals of one user
# must: play on
# walls: seccomp, user, rlimits
import ctypes
import struct

import lib

EVENT = struct.pack("qii48x", 0, 10, 1)  # SIGEV_NONE


class Bot(lib.Whisperer):
    def prepare(self):
        self.timers = []

    def fill(self, most):
        try:
            while len(self.timers) < most:
                timer = ctypes.c_int()
                lib.syscall("timer_create", 1, EVENT, ctypes.byref(timer))
                self.timers.append(timer)
        except OSError:
            pass

    def empty(self):
        for timer in self.timers:
            lib.libc.syscall(226 if lib.NUMBERS["fork"] == "57" else 111, timer)
        self.timers = []

    def send(self, bit):
        self.empty()
        if bit:
            self.fill(2000)

    def hear(self):
        self.fill(2000)
        found = len(self.timers)
        self.empty()
        return -found
