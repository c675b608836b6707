# tries: exit before it is ready, with the statuses of other causes
# must: start; not saying "killed from outside"
# walls: kernel's word
# each: 0 86 88 127 137 139 152 193 255
import os

import lib
from given import ARGUMENT

lib.tried()
os._exit(int(ARGUMENT))
