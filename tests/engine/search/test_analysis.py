"""Decisions of a record beside what the expert would have played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from engine import Format, Match, Record, RecordError
from engine.search import SearchResult, analysis
from engine.search.analysis import JudgedMove, Judgement, from_json, judge, questions, severity

FORMAT = "cassino/standard/1v1?deals=1"


def played(seed: str = "analysed", fmt: str = FORMAT) -> Record:
    match, rng = Match(fmt, seed=seed), Random(seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return Record.of(match)


def decision(**values: Any) -> Judgement:
    base = Judgement(
        0, 0, 0, "a", "b", 0.0, 0.1, 0.0, 0.5, 4.0, 3, [JudgedMove("b", 1.0, 0.1, 0.5, 9)]
    )
    return base._replace(**values)


def test_questions_hold_what_the_seat_knew_and_no_more() -> None:
    record = played()
    found = {question.n: question for question in questions(record)}
    match = record.start()
    for n, move in enumerate(record.moves):
        seat, legal = match.turn, match.legal_moves()
        assert seat is not None
        assert (n in found) == (len(legal) > 1)
        if n in found:
            assert found[n].view == match.view(seat)
            assert found[n].legal == legal
            assert found[n].played == move
            assert found[n].seen == match.events(seat)
        match.play(move)


def test_the_events_are_those_of_the_deal() -> None:
    record = played(fmt="cassino/standard/1v1?deals=2&target=0")
    later = [question for question in questions(record) if question.deal == 1]
    assert later
    for each in later:
        assert [event["type"] for event in each.seen].count("deal") == 1
        assert each.seen[0]["type"] == "deal"


def test_questions_go_on_from_a_move() -> None:
    record = played()
    assert list(questions(record, 20)) == [
        question for question in questions(record) if question.n >= 20
    ]


def test_moves_of_the_platform_are_left_out() -> None:
    record = played()
    record.faults = [{"seat": 1, "kind": "crash", "move": 21}]
    assert all(question.seat == 0 for question in questions(record) if question.n >= 21)
    assert any(question.seat == 1 for question in questions(record))


def test_a_wrong_move_is_named() -> None:
    record = played()
    record.moves[4] = "XX"
    with pytest.raises(RecordError, match="Move 5") as wrong:
        list(questions(record))
    assert wrong.value.number == 4


def test_a_move_that_was_not_listed_is_judged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    record = played()
    first = next(questions(record)).played
    monkeypatch.setattr(
        Match, "legal_moves", lambda self: [m for m in self._legal_list() if m != first][:2]
    )
    assert first in next(questions(record)).legal


def test_the_two_moves_are_asked_about_again_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def consider(
        _view: object, legal: Sequence[str], *_: object, also: Sequence[str] = (), **__: object
    ) -> list[SearchResult]:
        asked.append((list(legal), list(also)))
        if also:  # the one played does better the second time
            return [
                SearchResult(move, 10, at / 2, 0.15, 0.5 + at / 20) for at, move in enumerate(legal)
            ]
        return [SearchResult(move, 10, -float(at), 0.3, 0.5) for at, move in enumerate(legal)]

    monkeypatch.setattr(analysis, "consider", consider)
    [question] = [each for each in questions(played()) if len(each.legal) > 3][:1]
    question = question._replace(played=question.legal[2])
    found = judge(question, 100)
    first, third = question.legal[0], question.legal[2]
    assert asked == [(question.legal, []), ([first, third], [first, third])]
    assert (found.best, found.played) == (first, third)
    assert (found.cost, found.error) == (-0.5, 0.3)
    assert found.win_cost == pytest.approx(-0.05)
    assert [each.move for each in found.moves[:3]] == [question.legal[i] for i in (0, 2, 1)]

    asked.clear()
    same = judge(question._replace(played=first), 100)
    assert (len(asked), same.cost, same.error) == (1, 0.0, 0.0)


def test_the_same_question_has_the_same_answer_in_any_order() -> None:
    asked = list(questions(played()))[:3]
    once = [judge(each, 12, "seed") for each in asked]
    again = [judge(each, 12, "seed") for each in reversed(asked)]
    assert once == again[::-1]


def test_a_decision_survives_json() -> None:
    found = judge(next(questions(played())), 6)
    assert from_json(json.loads(json.dumps(found.as_json()))) == found
    with pytest.raises((KeyError, TypeError)):
        from_json({"moves": []})


@pytest.mark.parametrize(
    ("text", "cost", "error", "win_cost", "kind"),
    [
        (FORMAT, 1.1, 0.2, 0.0, "mistake"),
        (FORMAT, 0.4, 0.1, 0.0, "slip"),
        (FORMAT, 0.2, 0.01, 0.0, ""),
        (FORMAT, 1.1, 0.6, 0.0, ""),  # it may be chance
        (FORMAT, -2.0, 0.1, 0.0, ""),
        ("cassino/standard/1v1?deals=1&target=0", 1.1, 0.2, 0.0, "mistake"),
        ("canasta/classic/2v2", 100.0, 20.0, 0.0, "slip"),
    ],
)
def test_a_cost_counts_by_the_target_and_by_its_error(
    text: str, cost: float, error: float, win_cost: float, kind: str
) -> None:
    made = decision(cost=cost, error=error, win_cost=win_cost)
    assert severity(Format.parse(text), made) == kind
