"""What the decisions of a match say together."""

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


def test_an_analysis_is_json_and_can_be_repeated() -> None:
    record, told = played(), []
    found = analyse(record, 2, "seed", progress=lambda done, of: told.append((done, of)))
    assert json.loads(json.dumps(found)) == found
    assert found == analyse(record, 2, "seed")
    assert found != analyse(record, 2, "other")
    assert (found["shape"], found["expert"], found["playouts"]) == (SHAPE, EXPERT, 2)
    assert found["whole"]
    assert told == sorted(told)
    assert told[-1][1] == len(record.moves)
    assert sum(seat["decisions"] for seat in found["seats"]) == len(found["decisions"])


def test_it_can_stop_and_says_so() -> None:
    left = iter([False, False, True])
    found = analyse(played(), 4, stop=lambda: next(left))
    assert (len(found["decisions"]), found["whole"]) == (2, False)


def test_each_decision_has_its_place_in_the_deal_and_its_verb() -> None:
    record = played(fmt="cassino/standard/1v1?deals=2&target=0")
    found = analyse(record, 1)
    verbs = {each["act"] for each in found["decisions"]}
    assert {"takes", "trails"} <= verbs <= {"takes", "trails", "builds", "lays", "adds"}
    for deal in (0, 1):
        phases = [each["phase"] for each in found["decisions"] if each["deal"] == deal]
        assert phases == sorted(phases, key=["early", "middle", "late"].index)
        assert set(phases) == {"early", "middle", "late"}
    for seat in found["seats"]:
        for sums in (seat["phases"], seat["acts"]):
            assert sum(count for count, _ in sums.values()) == seat["decisions"]
            assert sum(cost for _, cost in sums.values()) == pytest.approx(seat["cost"], abs=0.02)


def test_accuracy_is_the_share_of_the_stakes_that_was_not_lost() -> None:
    made = [decision(cost=1.0, stake=4.0), decision(cost=0.0, stake=6.0)]
    assert accuracy(made) == 90.0
    assert accuracy([decision(cost=5.0, stake=4.0)]) == 0.0
    assert accuracy([decision(cost=-1.0, stake=4.0)]) == 100.0
    assert accuracy([]) is None


def _judged() -> list[Judgement]:
    """Two costly decisions, one that is not sure, and a fall of South's chance."""
    return [
        decision(n=0, seat=0, win=0.6),
        decision(n=2, seat=0, win=0.6, cost=3.0, error=0.2, win_cost=0.2),
        decision(n=3, seat=1, win=0.6, cost=9.0, error=8.0, win_cost=0.3),
        decision(n=4, seat=0, win=0.3, cost=1.2, error=0.1, win_cost=0.05),
    ]


def test_turning_points_and_costliest_moves() -> None:
    record = played()
    moves = [each._replace(played=record.moves[each.n]) for each in _judged()]
    made = [move._replace(best=record.moves[move.n]) for move in moves]
    found = summarize(record, made, 100, "", whole=False)
    assert [(each["n"], each["kind"]) for each in found["costliest"]] == [
        (2, "mistake"),
        (4, "mistake"),
    ]
    assert found["costliest"][0]["words"].startswith("South ")
    assert found["turning"] == [
        {"side": 0, "from": 2, "to": 4, "before": 0.6, "after": 0.3, "move": 3}
    ]
    assert found["seats"][0]["mistakes"] == 2
    assert found["seats"][1]["mistakes"] == 0


def test_the_end_is_the_last_point_of_each_side() -> None:
    record = played()
    assert record.result is not None
    ended = summarize(record, _judged(), 100, "", whole=True)["chances"][-2:]
    sides = range(len(Format.parse(record.format).sides))
    winners = record.result["winners"]
    share = 1 / len(winners)
    assert ended == [[len(record.moves), side, share if side in winners else 0.0] for side in sides]


@pytest.mark.parametrize("text", ["paks/standard/1v1?deals=1", "spoon-eye/standard/2v2?deals=1"])
def test_other_games_are_analysed_too(text: str) -> None:
    stops = iter([False] * 3 + [True])
    found = analyse(played(fmt=text), 2, stop=lambda: next(stops))
    assert len(found["decisions"]) == 3


def test_hindsight_stands_beside_the_costliest_moves_alone() -> None:
    record = played()
    moves = [each._replace(played=record.moves[each.n]) for each in _judged()]
    found = summarize(record, moves, 100, "", whole=False)
    assert found == summarize(record, moves, 100, "", whole=False)
    assert found["costliest"]
    for each in found["costliest"]:
        told = each["hindsight"]
        assert told["cost"] == 0.0 or told["better"]
        assert hindsight_sentence(each).startswith("In hindsight, with all cards seen")
    assert not any("hindsight" in each for each in found["decisions"])
    assert hindsight_sentence({}) == ""


def test_the_cards_stand_beside_the_result() -> None:
    record = played(fmt="cassino/standard/1v1?deals=1")
    (led, given), (behind, taken) = analyse(record, 1, "seed")["luck"]
    assert record.result is not None
    scores = record.result["scores"]
    assert (led, behind) == (scores[0] - scores[1], scores[1] - scores[0])
    assert given == -taken != 0.0
    again = analyse(record, 1, "other")["luck"]
    assert again[0][0] == led
    assert again[0][1] == pytest.approx(given, abs=3.0)


def test_who_ended_ahead_is_told_and_what_the_cards_gave() -> None:
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
