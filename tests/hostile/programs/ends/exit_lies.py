# tries: exit with the runner's own codes, which blame the memory or the disk
# must: crash; not saying "memory"
# walls: kernel's word
# each: 86 87 88 127
import os

import lib
from given import ARGUMENT

choose = lib.once(lambda: os._exit(int(ARGUMENT)))
