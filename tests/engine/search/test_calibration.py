"""Moves with an estimated cost lose these points when the same cards are played again.

At full size: `python -m tests.strength.calibration`; its tables are in
docs/decisions/0017-costs-come-from-a-second-search.md.
"""

from __future__ import annotations

from random import Random

from engine import Format, Match, Record
from engine.search.analysis import Judgement, judge, questions, severity

FORMAT = "cassino/standard/1v1?deals=1"
MATCHES = 2
REPLAYS = 10


def _played(seed: str) -> Record:
    match, rng = Match(FORMAT, seed=seed), Random(seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return Record.of(match)


def _ahead(start: Match, decision: Judgement, move: str, rng: Random) -> int:
    """The final lead of the seat's side if all play by the game's quick policy."""
    match = start.copy()
    match.step(move)
    scores = match.playout(rng, "own")
    return scores[decision.seat] - scores[1 - decision.seat]


def test_mistakes_lose_points_against_the_same_cards() -> None:
    fmt, expected_loss, actual_loss = Format.parse(FORMAT), 0.0, 0.0
    mistakes = 0
    for number in range(MATCHES):
        record, rng = _played(f"calibration {number}"), Random(number)
        for question in questions(record):
            decision = judge(question, 24)
            if severity(fmt, decision) != "mistake":
                continue
            mistakes += 1
            expected_loss += decision.cost
            start = record.after(decision.n)
            for move, sign in ((decision.best, 1), (decision.played, -1)):
                ends = [_ahead(start, decision, move, rng) for _ in range(REPLAYS)]
                actual_loss += sign * sum(ends) / REPLAYS
    assert mistakes >= 10
    assert actual_loss / mistakes > 0.5 * expected_loss / mistakes > 0.5
