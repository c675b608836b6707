# tries: find secrets in the runner's frames and heap: seeds, decks, other seats, the platform's folders
# must: play on
# walls: referee, namespaces
import gc
import sys

import lib


def attack():
    frame, seen = sys._getframe(), []
    while frame:
        seen += [*frame.f_locals.values(), *frame.f_globals.values()]
        frame = frame.f_back
    for one in gc.get_objects():
        seen += gc.get_referents(one)[:200]
    for text in [one for one in seen if isinstance(one, (str, bytes))]:
        plain = text if isinstance(text, str) else text.decode("latin-1")
        if len(plain) < 5000 and (
            "sehctam-elitsoh-fo-dees-a" in plain[::-1] or "elitsoh/stset/" in plain[::-1]
        ):
            lib.got(f"in memory: {plain[:100]!r}")


choose = lib.once(attack)
