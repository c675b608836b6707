# tries: find secrets in its environment, also in the memory where it began
# must: play on
# walls: namespaces
import ctypes
import os

import lib

KNOWN = {
    "HOME",
    "LANG",
    "PATH",
    "PYTHONHASHSEED",
    "LD_LIBRARY_PATH",
    "MALLOC_ARENA_MAX",
    "LC_CTYPE",
    "PWD",
}


def attack():
    ctypes.CDLL(None).getenv.restype = ctypes.c_char_p
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    names = set(os.environ)
    for number in range(200):
        if environ[number] is None:
            break
        names.add(environ[number].split(b"=")[0].decode())
    if names - KNOWN:
        lib.got(sorted(names - KNOWN))


choose = lib.once(attack)
