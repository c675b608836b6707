# tries: take a gigabyte while it is loaded
# must: start
# walls: rlimits
import lib

lib.tried()
kept = bytearray(1 << 30)
