"""The calibration of analyses: do moves that are said to cost points lose them?

Matches of one deal are played by the expert with few playouts, every fourth move drawn at random,
and analysed. Then each decision that was said to cost something is played again from where it
stood, with the same cards in all hands: once with the expert's move, once with the one that was
played, and on from there by the expert in every seat. What the difference comes to is compared
with what was said, by size.

Example: ``cassino/standard/1v1 --matches 20``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from engine import Format, Match, Record
from engine.search import consider
from engine.search.analysis import Judgement, judge, questions, target_of

EDGES: Final = (0.0, 1 / 70, 1 / 20, 1 / 10)
"""Costs as shares of the target where a class ends: none, less than a slip, slip, mistake, more."""
ERRING: Final = 0.25
"""How often the players of the matches move at random."""
FAST: Final = 24
"""Playouts of a decision of those who play."""


@dataclass
class Class:
    """Decisions that were said to cost about the same."""

    low: float
    high: float
    said: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)

    def line(self) -> str:
        """One row of the table."""
        said, lost = _mean(self.said), _mean(self.lost)
        return (
            f"| {self.low:g} to {self.high:g} | {len(self.said)} | {said:.2f} "
            f"| {lost:.2f} ± {1.96 * _error(self.lost):.2f} |"
        )


def classes(fmt: Format) -> list[Class]:
    """The classes of a format, in points."""
    target = target_of(fmt)
    edges = [round(edge * target, 2) for edge in EDGES]
    bounds = zip([float("-inf"), *edges], [*edges, float("inf")], strict=True)
    return [Class(low, high) for low, high in bounds]


def measure(
    fmt: Format, matches: int, playouts: int, again: int, seed: str = "calibration"
) -> Iterator[tuple[Judgement, float]]:
    """Decisions in which another move than the expert's was played, and what that lost."""
    for number in range(matches):
        rng = Random(f"{seed} {number}")
        record = _played(fmt, f"{seed} {number}", rng)
        for question in questions(record):
            decision = judge(question, playouts, seed)
            if decision.best != decision.played:
                yield decision, _lost(record, decision, again, rng)


def sorted_in(fmt: Format, found: Iterable[tuple[Judgement, float]]) -> list[Class]:
    """The decisions by what they were said to cost."""
    made = classes(fmt)
    for decision, lost in found:
        one = next(each for each in made if decision.cost < each.high)
        one.said.append(decision.cost)
        one.lost.append(lost)
    return made


def _played(fmt: Format, seed: str, rng: Random) -> Record:
    match = Match(fmt, seed=seed)
    while match.turn is not None:
        legal = match.legal_moves()
        erring = rng.random() < ERRING
        match.play(rng.choice(legal) if erring else _choice(match, legal, rng))
    return Record.of(match)


def _lost(record: Record, decision: Judgement, again: int, rng: Random) -> float:
    """Points by which the expert's move did better than the one played, on the same cards."""
    start = record.after(decision.n)
    total = 0.0
    for _ in range(again):
        total += _ahead(start, decision, decision.best, rng)
        total -= _ahead(start, decision, decision.played, rng)
    return total / again


def _ahead(start: Match, decision: Judgement, move: str, rng: Random) -> float:
    match = start.copy()
    match.step(move)
    while match.turn is not None:
        match.step(_choice(match, match.legal_moves(), rng))
    scores = match.scores
    side = match.format.side(decision.seat) if len(scores) == len(match.format.sides) else None
    own = scores.pop(decision.seat if side is None else side)
    return float(own - max(scores))


def _choice(match: Match, legal: Sequence[str], rng: Random) -> str:
    if len(legal) == 1:
        return legal[0]
    seat = match.turn
    assert seat is not None
    return consider(match.view(seat), legal, rng, FAST, seen=match.events(seat))[0].move


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = _mean(values)
    return float((sum((x - mean) ** 2 for x in values) / (len(values) - 1) / len(values)) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.strength.calibration", description=__doc__
    )
    parser.add_argument("format")
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--playouts", type=int, default=400)
    parser.add_argument("--again", type=int, default=8)
    asked = parser.parse_args()
    name, _, options = asked.format.partition("?")
    fmt = Format.parse(f"{name}?{'&'.join(filter(None, [options, 'deals=1']))}")
    print(f"{fmt}, {asked.matches} matches, {asked.playouts} playouts, {asked.again} times again")
    print("| said to cost | decisions | said | lost when played again |\n|---|---|---|---|")
    found = measure(fmt, asked.matches, asked.playouts, asked.again)
    for each in sorted_in(fmt, found):
        print(each.line())


if __name__ == "__main__":
    main()
