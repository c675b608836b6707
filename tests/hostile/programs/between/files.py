# tries: leave files for the next match
# must: play on
# walls: root, seccomp, namespaces
# each: /tmp . /var/tmp /dev/shm /cardroom __pycache__ /run/user
import os

import lib
from given import ARGUMENT


def send(bits):
    for number, bit in enumerate(bits):
        if bit:
            open(f"{ARGUMENT}/cardroom-mark{number}", "w").close()


def hear():
    return [int(os.path.exists(f"{ARGUMENT}/cardroom-mark{number}")) for number in range(64)]


choose = lib.bulk(send, hear)
