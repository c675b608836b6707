# tries: include compiled files that differ from their sources
# must: play on
# walls: package
import lib
import part

choose = lib.once(lambda: lib.got("a stranger's bytecode ran") if part.POISON else None)

# === part.py ===
POISON = False
# === __pycache__/part.cpython-311.pyc ===
not bytecode at all
# === __pycache__/bot.cpython-311.pyc ===
not bytecode at all
