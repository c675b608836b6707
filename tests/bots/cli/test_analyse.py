"""`analyse`: which moves cost a match, beside what the expert would have played."""

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
    """A finished match in g.json: moves drawn at random, so that some are bad."""
    match, rng = Match("cassino/standard/1v1?deals=1", seed="v"), Random(1)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    record = Record.of(match, [{"name": "Ann"}, {"name": "Bob"}])
    Path("g.json").write_text(record.dumps())
    return record


def test_any_number_of_jobs_gives_the_same(run: Run, game: Record) -> None:
    words = ("analyse", "g.json", "--playouts", "2", "--seed", "s", "--json")
    found = run(*words).json
    assert found == analyse(game, 2, "s")
    assert found == run(*words, "--jobs", "2").json


def test_it_tells_accuracy_and_the_costliest_moves(run: Run, game: Record) -> None:
    found = run("analyse", "g.json", "--playouts", "4", "--json").json
    assert found["costliest"], "the seed is to have a bad move"
    text = run("analyse", "g.json", "--playouts", "4", "--moves").out
    for name, seat in zip(("Ann", "Bob"), found["seats"], strict=True):
        assert f"{name}" in text
        assert f"{seat['accuracy']:.0f} %" in text
    for each in found["costliest"]:
        assert each["words"] in text
        assert f"The expert: {each['better']}" in text
        assert f"−{each['cost']:.1f} points" in text
    (sentence,) = luck_sentences(found, ["Ann", "Bob"])
    assert sentence in text
    for each in found["decisions"]:
        assert f"{each['n']:>4}  {('Ann', 'Bob')[each['seat']]}  {each['played']}" in text


def test_a_wrong_record_is_not_analysed(run: Run, game: Record) -> None:
    game.moves[5] = "XX"
    Path("g.json").write_text(game.dumps())
    assert run("analyse", "g.json").status == 1
    Path("g.json").write_text(game.dumps() + "\n" + game.dumps())
    ran = run("analyse", "g.json")
    assert (ran.status, ran.err) == (2, "g.json contains 2 records; analyse needs exactly one.\n")


def test_nothing_lost_is_not_less_than_nothing() -> None:
    each = {"cost": 0.004, "error": 0.01, "win_cost": 0.0004}
    assert cost_of(each) == "+0.0 points ±0.0, +0 % to win"
    each = {"cost": 1.26, "error": 0.1, "win_cost": 0.034}
    assert cost_of(each) == "−1.3 points ±0.2, −3 % to win"
