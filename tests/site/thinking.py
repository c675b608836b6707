"""Bots that think, inside a site: `tournament SECONDS` starts one of two matches, `upload` a check.

They take 0.3 s for each of their first seven moves, then SECONDS for each; the uploaded bot then
takes a minute.
"""

from __future__ import annotations

import sys

import django

django.setup()

from bots import actions  # noqa: E402 - Django must be set up first
from bots.package.package import Package  # noqa: E402 - as above
from tests import factories as make  # noqa: E402 - as above

THINKER = """
import time

moves = 0

def choose(view, legal):
    global moves
    moves += 1
    time.sleep(0.3 if moves < 8 else %s)
    return legal[0]
"""


def thinker(seconds: str) -> bytes:
    return (THINKER % seconds).encode()


match sys.argv[1:]:
    case ["tournament", seconds]:
        bots = [make.house_bot(f"house:{name}", thinker(seconds)) for name in "ab"]
        make.tournament(bots, name="Thinkers", start=True, move_ms=60_000, bank_ms=600_000)
    case ["upload"]:
        bot = actions.register_bot(make.user(), "Thinker")
        actions.queue_version(bot, Package.load(thinker("60"), "bot.py"), "")
    case _:
        sys.exit(__doc__)
