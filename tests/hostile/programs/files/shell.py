# tries: find a shell or any program other than its interpreter
# must: play on
# walls: root
import os

import lib

NAMES = "sh bash dash ls cat env id ps mount su sudo busybox perl node gcc cc ld gdb strace".split()


def attack():
    for folder in ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"):
        for name in NAMES:
            if os.path.exists(f"{folder}/{name}"):
                lib.got(f"{folder}/{name} is there")


choose = lib.once(attack)
