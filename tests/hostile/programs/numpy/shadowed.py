# tries: replace the numpy that is loaded before the bot
# must: play on
# walls: package
import lib
import numpy

choose = lib.once(lambda: None if numpy.MINE else lib.got("another numpy"))

# === cardroom.toml ===
needs = ["numpy"]
# === numpy.py ===
MINE = True
