# tries: create and find files, thread names, sockets and other named objects
# must: play on
# walls: namespaces, root, seccomp
# each: /tmp . /dev/shm /var/tmp /run abstract host
import os
import socket

import lib
from given import ARGUMENT


class Bot(lib.Whisperer):
    kept = None

    def send(self, bit):
        if ARGUMENT == "host":
            lib.syscall("sethostname", b"mark" if bit else b"seat", 4)
        elif ARGUMENT == "abstract":
            self.kept = None
            if bit:
                self.kept = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self.kept.bind("\0cardroom-mark")
        elif bit:
            open(f"{ARGUMENT}/cardroom-mark", "w").close()
        elif os.path.exists(f"{ARGUMENT}/cardroom-mark"):
            os.unlink(f"{ARGUMENT}/cardroom-mark")

    def hear(self):
        if ARGUMENT == "host":
            return int(os.uname().nodename == "mark")
        if ARGUMENT == "abstract":
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
                return int(one.connect_ex("\0cardroom-mark") == 0)
        return int(os.path.exists(f"{ARGUMENT}/cardroom-mark"))
