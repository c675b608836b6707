# tries: predict the other seat's randomness, in case it is equal to its own or derived from it
# must: play on
# walls: referee
# each: same reversed next hashed
import hashlib
import random

import lib
from given import ARGUMENT


class Bot(lib.Whisperer):
    def start(self, info):
        super().start(info)
        rng = info["rng"]
        guess = {
            "same": rng,
            "reversed": rng[::-1],
            "next": f"{int(rng, 16) + 2:032x}",
            "hashed": hashlib.sha256(rng.encode()).hexdigest()[:32],
        }[ARGUMENT]
        self.guess = random.Random(guess)

    def send(self, bit):
        pass

    def hear(self):
        return self.guess.getrandbits(1)
