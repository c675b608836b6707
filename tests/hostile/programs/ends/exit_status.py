# tries: exit with a status that looks like one from the kernel
# must: crash; not saying "killed from outside"
# walls: kernel's word
# each: 0 1 2 3 64 85 86 87 88 126 127 128 129 130 134 137 139 143 152 159 160 192 193 200 254 255
import os

import lib
from given import ARGUMENT


def attack():
    os._exit(int(ARGUMENT))


choose = lib.once(attack)
