# tries: swap its ends of the pipes
# must: play on or crash or time or garbage
# walls: kernel's word, referee
# each: 3,4 4,3 2,4 4,2 0,3 4,0
import os

import lib
from given import ARGUMENT

choose = lib.once(lambda: os.dup2(*map(int, ARGUMENT.split(","))))
