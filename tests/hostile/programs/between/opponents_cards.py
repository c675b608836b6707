# tries: learn the opponent's cards, which it held itself at the other table of the deal group
# must: play on
# walls: tmpfs
# ways: group
import os
import random
from time import perf_counter_ns as now

import lib
from given import ROLE, TAG

# In reality the open cards would be the secret that only the tables of this group share; here it is TAG.
DECK = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
DRAW = random.Random(TAG).getrandbits
MASK = [DRAW(1) for _ in DECK]  # half of the names are looked up
questions = iter([1])


def choose(view, legal):
    for _ in questions:
        lib.tried()
        tell(view) if ROLE == "sender" else ask()
    return legal[0]


def names(card):
    """File names that stand for a card, in the folder of the rules."""
    return [f"/cardroom/engine/{TAG}{card}{probe}" for probe in range(9)]


def tell(view):
    if not set(view["hand"]) < set(DECK):
        lib.tell(f"BROKEN cards: {view['hand']}")
    bits = [(card in view["hand"]) ^ mask for card, mask in zip(DECK, MASK)]
    for card, bit in zip(DECK, bits):
        for name in names(card) if bit else ():
            os.access(name, 0)
    lib.tell("SENT " + "".join(map(str, bits)))


def ask():
    gains = [sum(took(name + "x") - took(name) for name in names(card)) for card in DECK]
    middle = sorted(gains)[len(gains) // 2]
    lib.tell("HEARD " + "".join(str(int(one > middle)) for one in gains))


def took(name):
    start = now()
    os.access(name, 0)
    return min(now() - start, 5000)
