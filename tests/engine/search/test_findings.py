"""Summaries of a match's decisions."""

from __future__ import annotations

import json

import pytest

from engine import Format
from engine.search import EXPERT
from engine.search.analysis import Judgement
from engine.search.findings import (
    SHAPE,
    accuracy,
    analyse,
    hindsight_sentence,
    luck_sentences,
    summarize,
)
from tests.engine.search.test_analysis import decision, played


def test_an_analysis_is_json_and_repeatable() -> None:
    record, reports = played(), []
    analysis = analyse(
        record, 2, "seed", progress=lambda count, total: reports.append((count, total))
    )
    assert json.loads(json.dumps(analysis)) == analysis
    assert analysis == analyse(record, 2, "seed")
    assert analysis != analyse(record, 2, "other")
    assert (analysis["shape"], analysis["expert"], analysis["playouts"]) == (SHAPE, EXPERT, 2)
    assert analysis["whole"]
    assert reports == sorted(reports)
    assert reports[-1][1] == len(record.moves)
    assert sum(seat["decisions"] for seat in analysis["seats"]) == len(analysis["decisions"])


def test_a_stopped_analysis_is_marked() -> None:
    stops = iter([False, False, True])
    analysis = analyse(played(), 4, stop=lambda: next(stops))
    assert (len(analysis["decisions"]), analysis["whole"]) == (2, False)


def test_each_decision_has_a_phase_and_a_verb() -> None:
    record = played(fmt="cassino/standard/1v1?deals=2&target=0")
    analysis = analyse(record, 1)
    verbs = {row["act"] for row in analysis["decisions"]}
    assert {"takes", "trails"} <= verbs <= {"takes", "trails", "builds", "lays", "adds"}
    for deal in (0, 1):
        phases = [row["phase"] for row in analysis["decisions"] if row["deal"] == deal]
        assert phases == sorted(phases, key=["early", "middle", "late"].index)
        assert set(phases) == {"early", "middle", "late"}
    for seat in analysis["seats"]:
        for sums in (seat["phases"], seat["acts"]):
            assert sum(count for count, _ in sums.values()) == seat["decisions"]
            assert sum(cost for _, cost in sums.values()) == pytest.approx(seat["cost"], abs=0.02)


def test_accuracy_is_the_share_of_stakes_not_lost() -> None:
    decisions = [decision(cost=1.0, stake=4.0), decision(cost=0.0, stake=6.0)]
    assert accuracy(decisions) == 90.0
    assert accuracy([decision(cost=5.0, stake=4.0)]) == 0.0
    assert accuracy([decision(cost=-1.0, stake=4.0)]) == 100.0
    assert accuracy([]) is None


def _judgements() -> list[Judgement]:
    """Judgements: two costly ones, an uncertain one, and a fall of South's chances."""
    return [
        decision(n=0, seat=0, win=0.6),
        decision(n=2, seat=0, win=0.6, cost=3.0, error=0.2, win_cost=0.2),
        decision(n=3, seat=1, win=0.6, cost=9.0, error=8.0, win_cost=0.3),
        decision(n=4, seat=0, win=0.3, cost=1.2, error=0.1, win_cost=0.05),
    ]


def test_turning_points_and_costliest_moves() -> None:
    record = played()
    moves = [row._replace(played=record.moves[row.n]) for row in _judgements()]
    decisions = [move._replace(best=record.moves[move.n]) for move in moves]
    summary = summarize(record, decisions, 100, "", whole=False)
    assert [(row["n"], row["kind"]) for row in summary["costliest"]] == [
        (2, "mistake"),
        (4, "mistake"),
    ]
    assert summary["costliest"][0]["words"].startswith("South ")
    assert summary["turning"] == [
        {"side": 0, "from": 2, "to": 4, "before": 0.6, "after": 0.3, "move": 3}
    ]
    assert summary["seats"][0]["mistakes"] == 2
    assert summary["seats"][1]["mistakes"] == 0


def test_each_sides_chances_end_with_the_result() -> None:
    record = played()
    assert record.result is not None
    last_points = summarize(record, _judgements(), 100, "", whole=True)["chances"][-2:]
    sides = range(len(Format.parse(record.format).sides))
    winners = record.result["winners"]
    share = 1 / len(winners)
    assert last_points == [
        [len(record.moves), side, share if side in winners else 0.0] for side in sides
    ]


@pytest.mark.parametrize("text", ["paks/standard/1v1?deals=1", "spoon-eye/standard/2v2?deals=1"])
def test_other_games_are_analysed(text: str) -> None:
    stops = iter([False] * 3 + [True])
    analysis = analyse(played(fmt=text), 2, stop=lambda: next(stops))
    assert len(analysis["decisions"]) == 3


def test_only_the_costliest_moves_have_hindsight() -> None:
    record = played()
    moves = [row._replace(played=record.moves[row.n]) for row in _judgements()]
    summary = summarize(record, moves, 100, "", whole=False)
    assert summary == summarize(record, moves, 100, "", whole=False)
    assert summary["costliest"]
    for row in summary["costliest"]:
        hindsight = row["hindsight"]
        assert hindsight["cost"] == 0.0 or hindsight["better"]
        assert hindsight_sentence(row).startswith("In hindsight, with all cards seen")
    assert not any("hindsight" in row for row in summary["decisions"])
    assert hindsight_sentence({}) == ""


def test_the_analysis_has_the_luck_of_each_side() -> None:
    record = played(fmt="cassino/standard/1v1?deals=1")
    (led, luck), (behind, bad_luck) = analyse(record, 1, "seed")["luck"]
    assert record.result is not None
    scores = record.result["scores"]
    assert (led, behind) == (scores[0] - scores[1], scores[1] - scores[0])
    assert luck == -bad_luck != 0.0
    other_luck = analyse(record, 1, "other")["luck"]
    assert other_luck[0][0] == led
    assert other_luck[0][1] == pytest.approx(luck, abs=3.0)


def test_the_summary_names_the_leader_and_the_card_luck() -> None:
    assert luck_sentences({"luck": [[-4.0, 1.0], [4.0, -1.04]]}, ["Fox", "Owl"]) == [
        "Owl ended 4 points ahead; the cards alone would have put it 1 point behind."
    ]
    assert luck_sentences({"luck": [[0.0, 0.02], [0.0, -0.02]]}, ["Fox", "Owl"]) == [
        "Fox ended level; the cards alone would have put it level."
    ]
    three = luck_sentences(
        {"luck": [[310.4, 12.25], [1, 0], [-311.4, -12.25]]}, ["Fox", "Owl", "Hen"]
    )
    assert three[0] == (
        "Fox ended 310 points ahead of the others’ mean; "
        "the cards alone would have put it 12.2 points ahead."
    )
    assert len(three) == 3
    assert luck_sentences({}, ["Fox", "Owl"]) == []
