# tries: allocate a gigabyte during its import
# must: start
# walls: rlimits
import lib

lib.tried()
kept = bytearray(1 << 30)
