# tries: change and create files by memory maps and saved arrays
# must: play on
# walls: root, seccomp
import lib
import numpy as np


def attack():
    libraries = np.__path__[0]
    for path in (f"{libraries}/__init__.py", "/cardroom/engine/__init__.py", "/dev/null"):
        lib.attempt(f"a map of {path}", np.memmap, path, np.uint8, "r+", 0, 64)
    lib.attempt("a map of a new file", np.memmap, "/tmp/new", np.uint8, "w+", 0, 64)
    lib.attempt("a saved array", np.save, "/tmp/new.npy", np.ones(8))
    lib.attempt("a saved array in numpy", np.save, f"{libraries}/new.npy", np.ones(8))
    lib.attempt("raw bytes", np.ones(8).tofile, "/cardroom/new")


choose = lib.once(attack)

# === cardroom.toml ===
needs = ["numpy"]
