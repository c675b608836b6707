"""Later stages follow from results, and are paired again if a result is voided."""

from __future__ import annotations

from typing import Any

import pytest

from tests import factories as make
from tournaments import actions
from tournaments.models import Decision, Match, Tournament
from tournaments.reading import paired_stages, tournament_standings

pytestmark = pytest.mark.django_db

STAGES = [{"groups": 1, "divisions": 2}, {"groups": 1, "take": 2}]


def play_stage(cup: Tournament, winners: tuple[str, ...]) -> None:
    """Finish all waiting matches; the bot that is earlier in `winners` wins."""
    for attempt in actions.claim("test/1", 1000):
        outcome: Any = make.outcome(attempt.match)
        names = [seat.version.bot.name for seat in attempt.match.seats.order_by("index")]
        first_wins = min(names, key=winners.index) == names[0]
        outcome.record.result = outcome.record.result | {
            "scores": [21, 3] if first_wins else [3, 21],
            "ranks": [1, 2] if first_wins else [2, 1],
        }
        assert actions.store_result(attempt.pk, outcome)
    actions.advance(cup.pk)
    cup.refresh_from_db()


@pytest.fixture
def cup() -> Tournament:
    bots = [make.bot(name=name) for name in "abcd"]
    return make.tournament(bots, stages=STAGES, start=True)


def names(cup: Tournament) -> list[str]:
    entries = dict(cup.entries.values_list("pk", "bot__name"))
    return [entries[int(row.entrant)] for row in tournament_standings(cup)]


def finalists(cup: Tournament) -> set[str]:
    final = cup.deal_groups.filter(stage__number=2, retired__isnull=True)
    return set(final.values_list("sides__entry__bot__name", flat=True))


def test_the_best_of_each_division_play_the_final(cup: Tournament) -> None:
    assert (
        cup.deal_groups.count() == 2
    )  # a plays d and b plays c: divisions are seeded in snake order
    play_stage(cup, ("c", "a", "b", "d"))
    assert finalists(cup) == {"a", "c"}
    play_stage(cup, ("c", "a", "b", "d"))
    assert cup.state == "finished"
    assert names(cup)[:2] == ["c", "a"]
    places = [row.place for row in tournament_standings(cup)]
    assert places == [1, 2, 3, 3]
    assert list(map(len, paired_stages(cup))) == [2, 1]


def test_a_changed_result_retires_the_final(cup: Tournament) -> None:
    play_stage(cup, ("a", "b", "c", "d"))
    play_stage(cup, ("a", "b", "c", "d"))
    assert cup.state == "finished"
    seeds = set(cup.deal_groups.filter(stage__number=2).values_list("seed", flat=True))
    actions.rerun_round(cup, 1, 1, None, "The machine was overheated.")
    play_stage(cup, ("d", "b", "a", "c"))
    assert finalists(cup) == {"b", "d"}
    retired = cup.matches.filter(deal_group__retired__isnull=False, deal_group__stage__number=2)
    assert set(retired.values_list("state", flat=True)) == {Match.State.VOID}
    assert not cup.deal_groups.filter(retired=None, seed__in=seeds, stage__number=2).exists()
    assert list(cup.decisions.values_list("kind", "what")) == [
        (Decision.Kind.RERUN, "round 1 of stage 1"),
        (Decision.Kind.RETIRED, "round 1 of stage 2"),
    ]
    play_stage(cup, ("d", "b", "a", "c"))
    assert cup.state == "finished"
    assert names(cup)[:2] == ["d", "b"]
    with pytest.raises(actions.ActionError, match="belongs to a pairing that was replaced"):
        actions.rerun_match(retired[0], None, "It was mine.")
    old = cup.matches.filter(deal_group__redealt__isnull=False)[0]
    new = cup.matches.get(deal_group__instead_of=old.deal_group, rotation=old.rotation)
    with pytest.raises(actions.ActionError, match=f"match {new.pk} has taken its place"):
        actions.rerun_match(old, None, "It was mine.")


def test_the_final_stays_if_the_same_bots_qualify_again(cup: Tournament) -> None:
    play_stage(cup, ("a", "b", "c", "d"))
    actions.rerun_round(cup, 1, 1, None, "Once more.")
    play_stage(cup, ("a", "b", "c", "d"))  # the round, and the waiting final
    assert cup.state == "finished"
    assert not cup.deal_groups.filter(retired__isnull=False, stage__number=2).exists()
