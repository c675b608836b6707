# tries: see each other's processes: ids, users, limits, groups
# must: play on
# walls: namespaces, user, seccomp
# each: threads pids times
import os
import threading

import lib
from given import ARGUMENT


class Bot(lib.Whisperer):
    def prepare(self):
        self.stop = threading.Event()
        self.threads = []

    def send(self, bit):
        self.end_threads()
        if ARGUMENT == "threads" and bit:
            for _ in range(4):
                self.start_thread()
        if ARGUMENT == "times" and bit:
            sum(range(200_000))

    def hear(self):
        if ARGUMENT == "pids":
            return sum(self.alive(pid) for pid in range(1, 60))
        if ARGUMENT == "times":
            return int(os.times().children_user * 1000) + os.wait4.__name__.count("x")
        try:
            while len(self.threads) < 20:
                self.start_thread()
        except RuntimeError:
            pass
        count = len(self.threads)
        self.end_threads()
        return -count

    def start_thread(self):
        thread = threading.Thread(target=self.stop.wait, daemon=True)
        thread.start()
        self.threads.append(thread)

    def end_threads(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()
        self.prepare()

    @staticmethod
    def alive(pid):
        try:
            os.getpgid(pid)
        except OSError:
            return 0
        return 1
