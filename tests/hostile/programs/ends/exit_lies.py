# tries: end with the runner's own codes, to be told it was the memory or the disk
# must: crash; not saying "memory"
# walls: kernel's word
# each: 86 87 88 127
import os

import lib
from given import ARGUMENT

choose = lib.once(lambda: os._exit(int(ARGUMENT)))
