# tries: allocate a gigabyte in one call
# must: crash or time
# walls: rlimits
# each: bytearray list int text inflate
import zlib

import lib
from given import ARGUMENT


def attack():
    match ARGUMENT:
        case "bytearray":
            bytearray(1 << 30)
        case "list":
            [0] * (1 << 28)
        case "int":
            1 << (1 << 34)
        case "text":
            "x" * (1 << 30)
        case "inflate":
            packer = zlib.compressobj(9)
            packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()
            zlib.decompress(packed)
    lib.got("all of it")


choose = lib.once(attack)
