"""Measures the calibration of analyses: do moves lose as many points as the analysis estimates?

The expert plays matches of one deal with few playouts and every fourth move random, and analyses
them. Each decision whose move differs from the expert's is then replayed from its position with the
same cards: once with the expert's move and once with the played move, continued by the expert in
all seats. The table compares the measured and the estimated costs, by size.

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
"""Upper bounds of the classes, as shares of the target: none, less than a slip, slip, mistake."""
RANDOM_MOVE_RATE: Final = 0.25
"""The share of random moves in the analysed matches."""
PLAYER_PLAYOUTS: Final = 24
"""The playouts of a decision when the expert plays."""


@dataclass
class CostClass:
    """Decisions with similar estimated costs."""

    low: float
    high: float
    estimates: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)

    def line(self) -> str:
        """The row of the table."""
        estimate, loss = _mean(self.estimates), _mean(self.losses)
        return (
            f"| {self.low:g} to {self.high:g} | {len(self.estimates)} | {estimate:.2f} "
            f"| {loss:.2f} ± {1.96 * _error(self.losses):.2f} |"
        )


def classes(fmt: Format) -> list[CostClass]:
    """The classes of a format, in points."""
    target = target_of(fmt)
    edges = [round(edge * target, 2) for edge in EDGES]
    bounds = zip([float("-inf"), *edges], [*edges, float("inf")], strict=True)
    return [CostClass(low, high) for low, high in bounds]


def measure(
    fmt: Format, matches: int, playouts: int, again: int, seed: str = "calibration"
) -> Iterator[tuple[Judgement, float]]:
    """Decisions whose played move differs from the expert's, with the points that it lost."""
    for number in range(matches):
        rng = Random(f"{seed} {number}")
        record = _play(fmt, f"{seed} {number}", rng)
        for question in questions(record):
            decision = judge(question, playouts, seed)
            if decision.best != decision.played:
                yield decision, _measure_loss(record, decision, again, rng)


def classify(fmt: Format, losses: Iterable[tuple[Judgement, float]]) -> list[CostClass]:
    """The decisions by their estimated costs."""
    all_classes = classes(fmt)
    for decision, loss in losses:
        cost_class = next(row for row in all_classes if decision.cost < row.high)
        cost_class.estimates.append(decision.cost)
        cost_class.losses.append(loss)
    return all_classes


def _play(fmt: Format, seed: str, rng: Random) -> Record:
    match = Match(fmt, seed=seed)
    while match.turn is not None:
        legal = match.legal_moves()
        is_random = rng.random() < RANDOM_MOVE_RATE
        match.play(rng.choice(legal) if is_random else _choose(match, legal, rng))
    return Record.of(match)


def _measure_loss(record: Record, decision: Judgement, again: int, rng: Random) -> float:
    """Points by which the expert's move did better than the played move, with the same cards."""
    start = record.after(decision.n)
    total = 0.0
    for _ in range(again):
        total += _play_out(start, decision, decision.best, rng)
        total -= _play_out(start, decision, decision.played, rng)
    return total / again


def _play_out(start: Match, decision: Judgement, move: str, rng: Random) -> float:
    match = start.copy()
    match.step(move)
    while match.turn is not None:
        match.step(_choose(match, match.legal_moves(), rng))
    scores = match.scores
    side = match.format.side(decision.seat) if len(scores) == len(match.format.sides) else None
    own = scores.pop(decision.seat if side is None else side)
    return float(own - max(scores))


def _choose(match: Match, legal: Sequence[str], rng: Random) -> str:
    if len(legal) == 1:
        return legal[0]
    seat = match.turn
    assert seat is not None
    return consider(match.view(seat), legal, rng, PLAYER_PLAYOUTS, seen=match.events(seat))[0].move


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
    arguments = parser.parse_args()
    name, _, options = arguments.format.partition("?")
    fmt = Format.parse(f"{name}?{'&'.join(filter(None, [options, 'deals=1']))}")
    print(
        f"{fmt}, {arguments.matches} matches, {arguments.playouts} playouts, "
        f"{arguments.again} times again"
    )
    print("| said to cost | decisions | said | lost when played again |\n|---|---|---|---|")
    losses = measure(fmt, arguments.matches, arguments.playouts, arguments.again)
    for cost_class in classify(fmt, losses):
        print(cost_class.line())


if __name__ == "__main__":
    main()
