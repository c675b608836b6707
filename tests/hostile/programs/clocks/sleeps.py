# tries: sleep
# must: time
# walls: referee
import time

import lib

choose = lib.once(lambda: time.sleep(60))
