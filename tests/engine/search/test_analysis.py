"""Decisions of a record compared with the expert's moves."""

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


def test_questions_contain_only_the_seats_knowledge() -> None:
    record = played()
    questions_by_n = {question.n: question for question in questions(record)}
    match = record.start()
    for n, move in enumerate(record.moves):
        seat, legal = match.turn, match.legal_moves()
        assert seat is not None
        assert (n in questions_by_n) == (len(legal) > 1)
        if n in questions_by_n:
            assert questions_by_n[n].view == match.view(seat)
            assert questions_by_n[n].legal == legal
            assert questions_by_n[n].played == move
            assert questions_by_n[n].seen == match.events(seat)
        match.play(move)


def test_the_events_are_those_of_the_deal() -> None:
    record = played(fmt="cassino/standard/1v1?deals=2&target=0")
    later = [question for question in questions(record) if question.deal == 1]
    assert later
    for later_question in later:
        assert [event["type"] for event in later_question.seen].count("deal") == 1
        assert later_question.seen[0]["type"] == "deal"


def test_questions_may_start_at_a_move() -> None:
    record = played()
    assert list(questions(record, 20)) == [
        question for question in questions(record) if question.n >= 20
    ]


def test_moves_of_the_platform_are_left_out() -> None:
    record = played()
    record.faults = [{"seat": 1, "kind": "crash", "move": 21}]
    assert all(question.seat == 0 for question in questions(record) if question.n >= 21)
    assert any(question.seat == 1 for question in questions(record))


def test_an_illegal_move_is_named() -> None:
    record = played()
    record.moves[4] = "XX"
    with pytest.raises(RecordError, match="Move 5") as error:
        list(questions(record))
    assert error.value.number == 4


def test_an_unlisted_move_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    record = played()
    played_move = next(questions(record)).played
    monkeypatch.setattr(
        Match, "legal_moves", lambda self: [m for m in self._legal_list() if m != played_move][:2]
    )
    assert played_move in next(questions(record)).legal


def test_the_played_and_best_moves_are_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[tuple[list[str], list[str]]] = []

    def consider(
        _view: object, legal: Sequence[str], *_: object, also: Sequence[str] = (), **__: object
    ) -> list[SearchResult]:
        requests.append((list(legal), list(also)))
        if also:  # the played move does better the second time
            return [
                SearchResult(move, 10, index / 2, 0.15, 0.5 + index / 20)
                for index, move in enumerate(legal)
            ]
        return [SearchResult(move, 10, -float(index), 0.3, 0.5) for index, move in enumerate(legal)]

    monkeypatch.setattr(analysis, "consider", consider)
    [question] = [candidate for candidate in questions(played()) if len(candidate.legal) > 3][:1]
    question = question._replace(played=question.legal[2])
    judgement = judge(question, 100)
    first, third = question.legal[0], question.legal[2]
    assert requests == [(question.legal, []), ([first, third], [first, third])]
    assert (judgement.best, judgement.played) == (first, third)
    assert (judgement.cost, judgement.error) == (-0.5, 0.3)
    assert judgement.win_cost == pytest.approx(-0.05)
    assert [candidate.move for candidate in judgement.moves[:3]] == [
        question.legal[i] for i in (0, 2, 1)
    ]

    requests.clear()
    without_alternative = judge(question._replace(played=first), 100)
    assert (len(requests), without_alternative.cost, without_alternative.error) == (1, 0.0, 0.0)


def test_judgements_do_not_depend_on_the_order_of_questions() -> None:
    first_questions = list(questions(played()))[:3]
    judgements = [judge(question, 12, "seed") for question in first_questions]
    reversed_judgements = [judge(question, 12, "seed") for question in reversed(first_questions)]
    assert judgements == reversed_judgements[::-1]


def test_a_decision_survives_json() -> None:
    judgement = judge(next(questions(played())), 6)
    assert from_json(json.loads(json.dumps(judgement.as_json()))) == judgement
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
def test_a_cost_is_classified_by_target_and_error(
    text: str, cost: float, error: float, win_cost: float, kind: str
) -> None:
    judgement = decision(cost=cost, error=error, win_cost=win_cost)
    assert severity(Format.parse(text), judgement) == kind
