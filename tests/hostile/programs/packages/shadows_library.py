# tries: include its own modules under names that the runner imports
# must: play on or start or crash
# walls: package, referee
import lib

lib.tried()


def choose(view, legal):
    return legal[0]


# === json.py ===
raise SystemExit(137)
# === os.py ===
raise SystemExit(137)
# === _json.py ===
make_scanner = encode_basestring_ascii = None
# === random.py ===
seed = None
# === sys.py ===
raise SystemExit(137)
# === traceback.py ===
raise SystemExit(137)
