# tries: never become ready
# must: start
# walls: referee
# each: sleeps spins
import time

import lib
from given import ARGUMENT

lib.tried()
while True:
    time.sleep(60 if ARGUMENT == "sleeps" else 0)
