# tries: change library functions that the runner uses
# must: play on or crash or garbage
# walls: referee
# each: json loads codecs builtins import print
import builtins
import json
import os
import sys

import lib
from given import ARGUMENT


def attack():
    match ARGUMENT:
        case "json":
            sys.modules["json"] = sys.modules["_json"] = None
        case "loads":
            json.loads = json.dumps = lambda *_: {"type": "end"}
        case "codecs":
            __import__("codecs").register(lambda name: None)
            sys.modules["encodings"] = None
        case "builtins":
            builtins.isinstance = builtins.type = builtins.str = lambda *_: True
        case "import":
            builtins.__import__ = None
        case "print":
            sys.stdout = sys.stderr = sys.stdin = None


choose = lib.once(attack)
