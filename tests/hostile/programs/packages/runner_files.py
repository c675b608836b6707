# tries: use the names of the runner and its parts
# must: play on
# walls: package, root
import lib

choose = lib.once(lambda: None)

# === runner.py ===
import os
os.write(2, b"GOT-THROUGH runner\n")
# === start.pyc ===
not bytecode at all
# === bots/__init__.py ===
import os
os.write(2, b"GOT-THROUGH bots\n")
# === start.py ===
import os
os.write(2, b"GOT-THROUGH start\n")
