"""Plays any game by search: the engine's own (engine/search), within the clock or at a level.

A level (`house:expert-1` to `-5`, its number in the file `level.txt`) looks at fewer positions, and
overlooks some of its moves: then the same match is played the same again on every machine, unless
the clock is short. Without one the bot searches as long as a move may take. The note says what it
expects.
"""

import random
import time
from pathlib import Path

from engine.search import Level, consider, level

SHARE = 0.6
"""Share of a move's free time after which the search stops."""
WITHOUT = Level(20_000, 0.0)
LEVEL = Path("level.txt")


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.seconds = info["clock"]["move_ms"] * SHARE / 1000
        game = info["format"].partition("/")[0]
        self.level = level(int(LEVEL.read_text()), game) if LEVEL.is_file() else WITHOUT
        self.seen = []

    def event(self, event):
        self.seen.append(event)

    def choose(self, view, legal):
        legal = self.level.notices(legal, self.random)
        if len(legal) == 1:
            return legal[0]
        # Processor time: the clock does not count what a busy machine keeps us waiting.
        until = time.process_time() + self.seconds
        choices = consider(
            view,
            legal,
            self.random,
            self.level.playouts,
            seen=self.seen,
            stop=lambda: time.process_time() > until,
        )
        return {"move": choices[0].move, "note": note(choices)}


def note(choices):
    """What is expected of the best move, and of the next best."""
    first, *others = choices
    text = f"{first.points:+z.1f} points this deal, {first.win:.0%} to win."
    if others and others[0].visits:
        text += f" Next {others[0].move}: {others[0].points - first.points:+z.1f}."
    return text[:500]
