# tries: leave a message in modules that a later bot might find loaded
# must: play on
# walls: namespaces, root
# each: builtins sys engine os
import importlib

import lib
from given import ARGUMENT

module = importlib.import_module(ARGUMENT)


def send(bits):
    module.mark = bits


choose = lib.bulk(send, lambda: getattr(module, "mark", [0] * 64))
