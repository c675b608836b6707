# tries: be a file and a folder at once, so that another source runs than was read
# must: start or crash or play on
# walls: package
import lib

choose = lib.once(lambda: None)

# === bot/__init__.py ===
raise SystemExit("the folder was taken")
