# tries: learn the host's name
# must: play on
# walls: namespaces
import os

import lib


def attack():
    for name in (os.uname().nodename, __import__("socket").gethostname()):
        if name != "seat":
            lib.got(f"the host is called {name}")


choose = lib.once(attack)
