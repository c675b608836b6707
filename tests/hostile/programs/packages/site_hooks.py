# tries: run before the runner: sitecustomize, .pth files, startup files, __main__
# must: play on
# walls: package
import lib

choose = lib.once(lambda: None)

# === sitecustomize.py ===
import os
os.write(2, b"GOT-THROUGH sitecustomize\n")
# === usercustomize.py ===
import os
os.write(2, b"GOT-THROUGH usercustomize\n")
# === hostile.pth ===
import os; os.write(2, b"GOT-THROUGH pth\n")
# === __main__.py ===
import os
os.write(2, b"GOT-THROUGH main\n")
# === pyvenv.cfg ===
home = /tmp/bot
# === python311._pth ===
/tmp/bot
# === .pythonrc.py ===
import os; os.write(2, b"GOT-THROUGH rc\n")
