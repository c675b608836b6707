# tries: unpack to more than its disk holds
# must: start
# walls: rlimits, root
import lib

lib.tried()
choose = lib.once(lambda: None)

# === big.bin ===
@DISK@
