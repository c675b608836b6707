# tries: never read, so that questions accumulate
# must: time
# walls: referee
import time

import lib

lib.tried()
target = lib.channel()[1]
lib.say(target, b'{"type":"ready"}\n')
time.sleep(600)
