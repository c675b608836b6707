# tries: see each other's processes: ids, users, limits, groups
# must: play on
# walls: namespaces, user, seccomp
# each: threads pids times
import os
import threading
import time

import lib
from given import ARGUMENT


class Bot(lib.Whisperer):
    def prepare(self):
        self.more = []
        self.stop = threading.Event()

    def send(self, bit):
        self.stop.set()
        self.stop = threading.Event()
        if ARGUMENT == "threads" and bit:
            for _ in range(4):
                threading.Thread(target=self.stop.wait, daemon=True).start()
        if ARGUMENT == "times" and bit:
            sum(range(200_000))

    def hear(self):
        if ARGUMENT == "pids":
            return sum(self.alive(pid) for pid in range(1, 60))
        if ARGUMENT == "times":
            return int(os.times().children_user * 1000) + os.wait4.__name__.count("x")
        count = 0
        stop = threading.Event()
        try:
            while count < 20:
                threading.Thread(target=stop.wait, daemon=True).start()
                count += 1
        except RuntimeError:
            pass
        stop.set()
        time.sleep(0.002)
        return -count

    @staticmethod
    def alive(pid):
        try:
            os.getpgid(pid)
        except OSError:
            return 0
        return 1
