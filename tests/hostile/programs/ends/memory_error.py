# tries: be told that its memory was full by raising MemoryError
# must: crash
# walls: kernel's word
import lib


def attack():
    raise MemoryError


choose = lib.once(attack)
