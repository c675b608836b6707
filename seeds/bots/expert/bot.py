"""Plays any game by the engine's search (engine/search), limited by the clock or by a level.

The levels, `house:expert-1` to `house:expert-5`, have a file `level.txt` with their number. They
make fewer playouts and overlook some moves. If the clock is long enough, they play a repeated match
with the same moves on every machine. Without a level, the bot searches while the move's free time
lasts. Its note states the result that it expects.
"""

import random
import time
from pathlib import Path

from engine.search import Level, consider, level

TIME_SHARE = 0.6
"""Share of a move's free time after which the search stops."""
FULL_STRENGTH = Level(20_000, 0.0)
"""Limits of the bot without a level; usually the clock ends its search sooner."""
LEVEL = Path("level.txt")


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.seconds = info["clock"]["move_ms"] * TIME_SHARE / 1000
        game = info["format"].partition("/")[0]
        self.level = level(int(LEVEL.read_text()), game) if LEVEL.is_file() else FULL_STRENGTH
        self.events = []

    def event(self, event):
        self.events.append(event)

    def choose(self, view, legal):
        legal = self.level.moves_considered(legal, self.random)
        if len(legal) == 1:
            return legal[0]
        # Processor time: the clock does not count waiting for a busy machine.
        deadline = time.process_time() + self.seconds
        results = consider(
            view,
            legal,
            self.random,
            self.level.playouts,
            seen=self.events,
            stop=lambda: time.process_time() > deadline,
        )
        return {"move": results[0].move, "note": note(results)}


def note(results):
    """The expected result of the best move, and how much worse the second-best is."""
    best, *others = results
    text = f"{best.points:+z.1f} points this deal, {best.win:.0%} to win."
    if others and others[0].visits:
        text += f" Next {others[0].move}: {others[0].points - best.points:+z.1f}."
    return text[:500]
