# tries: be a file and a folder at once, so that the site reads one source and runs another
# must: start or crash or play on
# walls: package
import lib

choose = lib.once(lambda: None)

# === bot/__init__.py ===
raise SystemExit("the folder was taken")
