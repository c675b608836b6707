# tries: write escapes, bells, title changes and broken UTF-8 to its log
# must: play on
# walls: referee
import os

import lib

choose = lib.once(lambda: os.write(2, bytes(range(256)) * 20 + b"\x1b]0;owned\x07\x1b[2J\n"))
