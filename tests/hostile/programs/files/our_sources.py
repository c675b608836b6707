# tries: read the platform: its sources, settings, packages, its database
# must: play on
# walls: root
import glob
import importlib
import os

import lib


def attack():
    for name in (
        "bots tournaments cardroom django celery numpy pip setuptools runner.runner manage".split()
    ):
        lib.attempt(f"import {name}", importlib.import_module, name)
    for pattern in (
        "/*/*/bots",
        "/*/*/manage.py",
        "/*/*.sqlite3",
        "/var/tmp/cardroom-*",
        "/tmp/cardroom-*",
        "/**/.git",
    ):
        if found := glob.glob(pattern):
            lib.got(found)
    for path in __import__("sys").path:
        if os.path.isdir(path) and os.path.isdir(f"{path}/bots"):
            lib.got(path)


choose = lib.once(attack)
