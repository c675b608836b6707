# tries: raise MemoryError, so that its fault blames the memory
# must: crash
# walls: kernel's word
import lib


def attack():
    raise MemoryError


choose = lib.once(attack)
