"""`analyse`: the costliest moves of a match, with the expert's moves."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bots.cli.analyse import cost_of
from engine import Match, Record
from engine.search.findings import analyse, luck_sentences

from .conftest import Run


@pytest.fixture
def game(run: Run) -> Record:
    """A finished match of random moves in g.json; some of the moves are bad."""
    match, rng = Match("cassino/standard/1v1?deals=1", seed="v"), Random(1)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    record = Record.of(match, [{"name": "Ann"}, {"name": "Bob"}])
    Path("g.json").write_text(record.dumps())
    return record


def test_the_number_of_jobs_does_not_change_the_analysis(run: Run, game: Record) -> None:
    arguments = ("analyse", "g.json", "--playouts", "2", "--seed", "s", "--json")
    analysis = run(*arguments).json
    assert analysis == analyse(game, 2, "s")
    assert analysis == run(*arguments, "--jobs", "2").json


def test_it_prints_accuracy_and_the_costliest_moves(run: Run, game: Record) -> None:
    analysis = run("analyse", "g.json", "--playouts", "4", "--json").json
    assert analysis["costliest"], "the seed must give a bad move"
    text = run("analyse", "g.json", "--playouts", "4", "--moves").out
    for name, seat in zip(("Ann", "Bob"), analysis["seats"], strict=True):
        assert f"{name}" in text
        assert f"{seat['accuracy']:.0f} %" in text
    for slip in analysis["costliest"]:
        assert slip["words"] in text
        assert f"The expert: {slip['better']}" in text
        assert f"−{slip['cost']:.1f} points" in text
    (sentence,) = luck_sentences(analysis, ["Ann", "Bob"])
    assert sentence in text
    for decision in analysis["decisions"]:
        assert (
            f"{decision['n']:>4}  {('Ann', 'Bob')[decision['seat']]}  {decision['played']}" in text
        )


def test_an_invalid_record_is_not_analysed(run: Run, game: Record) -> None:
    game.moves[5] = "XX"
    Path("g.json").write_text(game.dumps())
    assert run("analyse", "g.json").status == 1
    Path("g.json").write_text(game.dumps() + "\n" + game.dumps())
    ran = run("analyse", "g.json")
    assert (ran.status, ran.err) == (2, "g.json contains 2 records; analyse needs exactly one.\n")


def test_a_tiny_cost_is_not_printed_as_minus_zero() -> None:
    judgement = {"cost": 0.004, "error": 0.01, "win_cost": 0.0004}
    assert cost_of(judgement) == "+0.0 points ±0.0, +0 % to win"
    judgement = {"cost": 1.26, "error": 0.1, "win_cost": 0.034}
    assert cost_of(judgement) == "−1.3 points ±0.2, −3 % to win"
