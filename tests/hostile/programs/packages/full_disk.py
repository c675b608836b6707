# tries: unpack to more than the size of its disk
# must: start
# walls: rlimits, root
import lib

lib.tried()
choose = lib.once(lambda: None)

# === big.bin ===
@DISK@
