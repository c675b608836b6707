"""Block designs for many-sided round robins, and their arrangement into rounds.

A cyclic design over Z_v has a few base blocks of k numbers; adding 1, 2, … v - 1 (mod v) to a block
gives the others. Two entrants whose numbers differ by ±d meet once for each time that ±d occurs as
a difference within a base block (twice for d = v/2). So all pairs meet equally often if all
differences are equally frequent: such blocks form a difference family (Bose 1939). If their number
allows none, each pair must meet λ or λ + 1 times. A seeded local search finds the blocks. By
construction all entrants play equally often.
"""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from tournaments.pairing.hard_designs import HARD
from tournaments.pairing.types import Pairing, Round

T = TypeVar("T")

_STEPS = 30_000
"""Steps of the local search for each number of base blocks."""

_TRIES = 4
"""How many numbers of base blocks are tried, beginning with the theoretical minimum."""

_CYCLE = 5_000
"""Steps of one cooling cycle; then the temperature is reset."""


def shuffled(items: Sequence[T], rng: random.Random) -> list[T]:
    """The items in random order, the same on every version of Python for the same `rng`.

    Python guarantees stability for `random.random`, not for `random.shuffle`.
    """
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        result[i], result[j] = result[j], result[i]
    return result


@lru_cache(maxsize=256)
def balanced_pairings(entrants: int, sides: int, meetings: int) -> tuple[Pairing, ...]:
    """The smallest schedule found in which all pairs meet λ or λ + 1 times, λ ≥ `meetings`.

    Needs entrants > sides ≥ 3. Solutions exist for one meeting and up to 64 entrants at up to 8
    sides; the tests check all of them. If the search finds no schedule for several meetings, the
    one for a single meeting is repeated; two pairs may then differ by up to `meetings`. Raises
    ValueError if there is none for one meeting.
    """
    stored = HARD.get((entrants, sides), ())
    min_blocks = -(-meetings * (entrants - 1) // (sides * (sides - 1)))
    for blocks in range(min_blocks, min_blocks + _TRIES):
        if meetings == 1 and stored and len(stored) != blocks:
            continue
        base_blocks = stored if len(stored) == blocks else _search(entrants, sides, blocks)
        if base_blocks:
            return tuple(
                tuple(sorted((number + shift) % entrants for number in block))
                for block in base_blocks
                for shift in range(entrants)
            )
    if meetings > 1:
        return balanced_pairings(entrants, sides, 1) * meetings
    raise ValueError(f"No balanced schedule of {entrants} entrants at tables of {sides} was found.")


class _Spread:
    """Counts of each difference ±d inside the base blocks, and their deviation from the aim."""

    def __init__(self, entrants: int, sides: int, blocks: int) -> None:
        """Aim at the two counts around the mean, or at the mean if it is whole."""
        total = blocks * sides * (sides - 1)
        self.low, remainder = divmod(total, entrants - 1)
        self.high = self.low + (remainder > 0)
        self.classes = [min(d, entrants - d) for d in range(entrants)]
        # For d = entrants / 2 a block and its translate by d hold the same pair, so it meets twice.
        self.weight = [2 if 2 * d == entrants else 1 for d in range(entrants // 2 + 1)]
        self.use = [0] * (entrants // 2 + 1)

    def penalty(self, d: int) -> int:
        """The squared deviation of the meetings at difference ±d."""
        count = self.use[d] * self.weight[d]
        deviation = max(0, self.low - count, count - self.high)
        return deviation * deviation

    def shift(self, number: int, others: Sequence[int], by: int) -> int:
        """Add `by` (±1) to the counts of `number`'s differences to `others`; return the change of
        the cost."""
        change = 0
        for other in others:
            d = self.classes[abs(number - other)]
            change -= self.penalty(d)
            self.use[d] += by
            change += self.penalty(d)
        return change


def _search(entrants: int, sides: int, blocks: int) -> tuple[Pairing, ...]:
    """Base blocks with an even spread of differences, by annealing; empty if none was found."""
    rng = random.Random(f"design {entrants} {sides} {blocks}")
    spread = _Spread(entrants, sides, blocks)
    base_blocks = [shuffled(range(entrants), rng)[:sides] for _ in range(blocks)]
    for block in base_blocks:
        for i, number in enumerate(block):
            spread.shift(number, block[:i], 1)
    cost = sum(spread.penalty(d) for d in range(1, len(spread.use)))
    for step in range(_STEPS):
        if cost == 0:
            return tuple(tuple(block) for block in base_blocks)
        block = base_blocks[int(rng.random() * blocks)]
        index, number = int(rng.random() * sides), int(rng.random() * entrants)
        if number in block:
            continue
        old, others = block[index], block[:index] + block[index + 1 :]
        change = spread.shift(old, others, -1) + spread.shift(number, others, 1)
        if change <= 0 or rng.random() < _tolerance(step, change):
            block[index] = number
            cost += change
        else:
            spread.shift(number, others, -1)
            spread.shift(old, others, 1)
    return ()


def _tolerance(step: int, change: int) -> float:
    """The probability of keeping a change for the worse: temperature to the power of the change.

    Computed by products, because `exp` differs in the last bit between libraries, and schedules
    must be the same everywhere.
    """
    temperature = 0.02 + 0.33 * (1 - (step % _CYCLE) / _CYCLE)
    chance = 1.0
    for _ in range(min(change, 8)):
        chance *= temperature
    return chance


def arrange_rounds(pairings: Sequence[Pairing], entrants: int) -> list[Round]:
    """Arrange the pairings greedily into few rounds in which no entrant plays twice.

    Each round prefers pairings whose entrants have the most pairings left.
    """
    unplaced = list(pairings)
    remaining = [0] * entrants  # pairings left, by entrant
    for entrant in (entrant for pairing in unplaced for entrant in pairing):
        remaining[entrant] += 1
    rounds: list[Round] = []
    while unplaced:
        unplaced.sort(key=lambda pairing: -sum(remaining[entrant] ** 2 for entrant in pairing))
        busy: set[int] = set()
        round_: list[Pairing] = []
        postponed: list[Pairing] = []
        for pairing in unplaced:
            if busy.isdisjoint(pairing):
                busy.update(pairing)
                round_.append(pairing)
            else:
                postponed.append(pairing)
        for entrant in busy:
            remaining[entrant] -= 1
        rounds.append(tuple(round_))
        unplaced = postponed
    return rounds
