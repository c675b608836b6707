"""Stages on a site: groups, then a knock-out, and changed results."""

from __future__ import annotations

from typing import Any

import pytest

from tests import chosen_winners, factories
from tournaments import actions
from tournaments.models import Decision, Match, Tournament
from tournaments.reading import tournament_standings
from tournaments.reading.brackets import brackets

pytestmark = pytest.mark.django_db

STAGES = [
    {"groups": 1, "divisions": 2},
    {"system": "knock-out", "groups": 1, "take": 4, "settings": {"third": 1}},
]


@pytest.fixture
def cup() -> Tournament:
    """Seeds a, d, e and b, c, f play in two groups; the best two of each advance."""
    bots = [factories.bot(name=name) for name in "abcdef"]
    return factories.tournament(bots, stages=STAGES, start=True)


def names(cup: Tournament) -> str:
    entries = dict(cup.entries.values_list("pk", "bot__name"))
    return "".join(entries[int(row.entrant)] for row in tournament_standings(cup))


def semifinals(cup: Tournament) -> list[str]:
    (bracket,) = brackets(cup)
    return [
        "".join(side.name for side in pairing.sides if side.name) for pairing in bracket.columns[0]
    ]


def seeds(cup: Tournament, **conditions: object) -> set[str]:
    return set(cup.deal_groups.filter(**conditions).values_list("seed", flat=True))


def test_groups_and_a_knock_out_are_played_to_the_end(cup: Tournament) -> None:
    chosen_winners.play_round(cup, "fedcba")
    assert cup.state == "running"
    assert semifinals(cup) == ["ec", "df"]  # winners of groups play seconds of the other group
    chosen_winners.play_out(cup, "fedcba")
    assert cup.state == "finished"
    assert names(cup)[:4] == "fedc"
    assert [row.place for row in tournament_standings(cup)] == [1, 2, 3, 4, 5, 5]
    assert cup.deal_groups.count() == 6 + 2 + 2
    assert not cup.decisions.exists()


def test_changed_results_replace_the_next_stage(cup: Tournament) -> None:
    chosen_winners.play_out(cup, "fedcba")
    before = seeds(cup, stage__number=2)
    first = set(cup.deal_groups.filter(stage__number=1).values_list("pk", flat=True))
    actions.rerun_round(cup, 1, 1, None, "The clocks stood still.")
    actions.rerun_round(cup, 1, 2, None, "The clocks stood still.")
    actions.rerun_round(cup, 1, 3, None, "The clocks stood still.")
    chosen_winners.play_round(cup, "abcdef")
    assert semifinals(cup) == ["ac", "db"]
    retired = cup.deal_groups.filter(retired__isnull=False)
    assert set(retired.filter(stage__number=1).values_list("pk", flat=True)) == first
    assert retired.filter(stage__number=2).count() == len(before) == 4
    void = cup.matches.filter(deal_group__retired__isnull=False)
    assert set(void.values_list("state", flat=True)) == {Match.State.VOID}
    chosen_winners.play_out(cup, "abcdef")
    assert names(cup)[:4] == "abcd"
    # The cards of retired groups are public, so the new groups have others.
    assert not before & seeds(cup, stage__number=2, retired=None)
    log = [(decision.kind, decision.what, decision.by) for decision in cup.decisions.all()]
    assert log[:3] == [(Decision.Kind.RERUN, f"round {n} of stage 1", None) for n in (1, 2, 3)]
    assert [entry[:2] for entry in log[3:]] == [(Decision.Kind.RETIRED, "rounds 1 to 2 of stage 2")]


def test_a_voided_pairing_gets_another_deal_group(cup: Tournament) -> None:
    chosen_winners.play_round(cup, "fedcba")
    for match in cup.matches.filter(deal_group__stage__number=2, deal_group__pairing=1):
        actions.void_match(match, None, "It does not count.")
    chosen_winners.play_round(cup, "fedcba")  # the other semifinal, after which a group is added
    added = cup.deal_groups.filter(stage__number=2, round=1, pairing=1, group=2)
    assert added.count() == 1
    chosen_winners.play_out(cup, "fedcba")
    assert names(cup)[:2] == "fe"


def test_a_tied_pairing_gets_extra_deal_groups() -> None:
    bots = [factories.bot(name=name) for name in "ab"]
    cup = factories.tournament(bots, start=True, system="knock-out", settings={"extra": 2})
    for groups in (1, 2, 3):
        assert cup.deal_groups.count() == groups
        for attempt in actions.claim("test/1", 1000):
            outcome: Any = factories.outcome(attempt.match)
            # The first seat wins each time, so nobody leads after a group.
            outcome.record.result |= {"scores": [21, 3], "ranks": [1, 2]}
            assert actions.store_result(attempt.pk, outcome)
        actions.advance(cup.pk)
    cup.refresh_from_db()
    assert cup.state == "finished"
    ((final,),) = brackets(cup)[0].columns
    assert (final.groups, final.state) == (3, "decided")
    assert [side.points for side in final.sides] == [1.5, 1.5]
    assert names(cup) == "ab"  # still tied: the better seed wins


def test_the_start_refuses_an_impossible_stage() -> None:
    cup = factories.tournament(3, stages=[{"groups": 1, "divisions": 2}])
    with pytest.raises(actions.ActionError, match="3 entries in 2 divisions; each needs 2"):
        actions.start(cup, None)
    cup.refresh_from_db()
    assert cup.state == "open"


@pytest.mark.parametrize(
    ("final", "sentence"),
    [
        ({"system": "gauntlet", "settings": {"challengers": 4}}, "Stage 2: A gauntlet with 4 of"),
        ({"settings": {"meetings": 100}, "groups": 1000}, "1,200,000 matches; at most 100,000"),
    ],
)
def test_the_start_refuses_a_stage_that_could_not_be_paired(
    final: dict[str, Any], sentence: str
) -> None:
    """Formerly the tournament ran, and stopped forever before that stage."""
    cup = factories.tournament(5, stages=[{"groups": 1}, {**final, "take": 4}])
    with pytest.raises(actions.ActionError, match=sentence):
        actions.start(cup, None)
    cup.refresh_from_db()
    assert (cup.state, cup.matches.count()) == ("open", 0)
