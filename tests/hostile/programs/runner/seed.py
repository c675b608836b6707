# tries: guess the match's seed from its own randomness
# must: play on
# walls: referee
import hashlib

import lib

WORDS = "s seed test bench cardroom hostile random 1 42 match cassino demo season ladder".split()


class Bot:
    def start(self, info):
        lib.tried()
        for guess in [*WORDS, *map(str, range(20_000))]:
            for seat in (0, 1):
                key = b"cardroom-bot-1\0" + guess.encode() + b"\0" + seat.to_bytes(8, "big")
                if hashlib.sha256(key).hexdigest()[:32] == info["rng"]:
                    lib.got(f"the seed is {guess}")

    def choose(self, view, legal):
        return legal[0]
