"""Moves that are said to cost points lose them when the same cards are played again.

At full size: `python -m tests.strength.calibration`; its tables are in
docs/decisions/0017-costs-are-measured-twice.md.
"""

from __future__ import annotations

from random import Random

from engine import Format, Match, Record
from engine.search.analysis import Judgement, judge, questions, severity

FORMAT = "cassino/standard/1v1?deals=1"
MATCHES = 2
AGAIN = 10


def _played(seed: str) -> Record:
    match, rng = Match(FORMAT, seed=seed), Random(seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return Record.of(match)


def _ahead(start: Match, decision: Judgement, move: str, rng: Random) -> int:
    """By how much the seat's side is ahead at the end, all playing by the game's quick policy."""
    match = start.copy()
    match.step(move)
    scores = match.playout(rng, "own")
    return scores[decision.seat] - scores[1 - decision.seat]


def test_mistakes_lose_points_against_the_same_cards() -> None:
    fmt, said, lost = Format.parse(FORMAT), 0.0, 0.0
    mistakes = 0
    for number in range(MATCHES):
        record, rng = _played(f"calibration {number}"), Random(number)
        for question in questions(record):
            decision = judge(question, 24)
            if severity(fmt, decision) != "mistake":
                continue
            mistakes += 1
            said += decision.cost
            start = record.after(decision.n)
            for move, sign in ((decision.best, 1), (decision.played, -1)):
                ends = [_ahead(start, decision, move, rng) for _ in range(AGAIN)]
                lost += sign * sum(ends) / AGAIN
    assert mistakes >= 10
    assert lost / mistakes > 0.5 * said / mistakes > 0.5
