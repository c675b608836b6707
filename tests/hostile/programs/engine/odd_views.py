# tries: break the engine with invalid views
# must: play on
# walls: rlimits, namespaces
import random

import lib


def attack():
    from engine import Match

    deep = []
    for _ in range(50_000):
        deep = [deep]
    for odd in (
        {},
        [],
        None,
        "",
        7,
        {"format": "x"},
        {"format": "cassino/standard/1v1", "hand": deep},
        {"deal": -1},
        deep,
    ):
        try:
            Match.from_view(odd, random.Random(0))
        except Exception as error:
            lib.tell(f"REFUSED {type(error).__name__}")
        else:
            lib.tell("taken")


choose = lib.once(attack)
