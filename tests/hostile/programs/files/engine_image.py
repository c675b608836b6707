# tries: change the engine that all sandboxes read
# must: play on
# walls: root, seccomp, user
import glob
import mmap
import os
import sys

import lib


def mapped(path):
    fd = os.open(path, os.O_RDONLY)
    mmap.mmap(fd, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE)[0] = 0


def attack():
    folder = os.path.dirname(os.path.dirname(__import__("engine").__file__))
    for path in [
        sys.argv[0],
        *glob.glob(f"{folder}/*.pyc"),
        *glob.glob(f"{folder}/engine/*.py")[:5],
        os.__file__,
    ]:
        lib.attempt(f"append to {path}", open, path, "ab")
        lib.attempt(f"write to {path}", os.open, path, os.O_RDWR)
        lib.attempt(f"cut {path}", os.truncate, path, 0)
        lib.attempt(f"write through a mapping of {path}", mapped, path)


choose = lib.once(attack)
