"""Rounds that reruns have outdated are retired; archives verify while they are still there."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from tests import factories as make
from tests.season.playing import outcome, play_on
from tournaments import actions, archive
from tournaments.actions.attempts import release_attempts
from tournaments.exports.archive import archive_of
from tournaments.models import Decision, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game")]


CHANCE = Random("reruns")


def cup(stages: Sequence[dict[str, Any]], bots: int) -> Tournament:
    entrants = [make.bot(formats=("season/*/*",)) for _ in range(bots)]
    return make.tournament(entrants, format="season/plain/1v1", stages=stages, start=True)


def strengths(tournament: Tournament, *ranks: int) -> dict[int, float]:
    """Strengths by version so far apart that the rank decides each match; in order of entry."""
    versions = tournament.entries.order_by("number").values_list("version", flat=True)
    return {version: 10_000.0 * rank for version, rank in zip(versions, ranks, strict=True)}


def play_round(
    tournament: Tournament, by_version: Mapping[int, float], number: int, *, advance: bool = True
) -> None:
    """Play the waiting matches of a round, and no others."""
    for attempt in actions.claim("season/1", 500):
        if attempt.match.deal_group.round == number:
            assert actions.store_result(attempt.pk, outcome(attempt.match, by_version, CHANCE))
        else:
            release_attempts([attempt.pk], "Claimed on the way.")
    if advance:
        actions.advance(tournament.pk)


def verified_state(tournament: Tournament) -> str:
    return archive.verify(io.BytesIO(b"".join(archive_of(tournament)))).state


def test_an_outdated_round_is_not_played_to_its_end() -> None:
    """Formerly its matches were played first, although they could not count."""
    tournament = cup([{"system": "swiss", "settings": {"rounds": 2}, "groups": 1}], 4)
    play_round(tournament, strengths(tournament, 1, 2, 3, 4), 1)
    assert actions.rerun_round(tournament, 1, 1, None, "The clocks stood still.") == 4
    others = strengths(tournament, 4, 1, 2, 3)
    assert not actions.advance(tournament.pk), "the new results may be those of before"
    play_round(tournament, others, 1, advance=False)
    assert verified_state(tournament) == "running"
    [begun] = actions.claim("season/1", 1)
    assert actions.advance(tournament.pk)
    assert not actions.store_result(begun.pk, outcome(begun.match, others, CHANCE))
    assert tournament.decisions.filter(kind=Decision.Kind.RETIRED).count() == 1
    assert verified_state(tournament) == "running"
    assert play_on(tournament, others).state == "finished"
    assert verified_state(tournament) == "finished"


def test_a_stage_whose_entrants_are_being_decided_again() -> None:
    tournament = cup([{"groups": 1}, {"groups": 1, "take": 2}], 2)
    by_version = strengths(tournament, 1, 2)
    play_round(tournament, by_version, 1)
    final = tournament.deal_groups.get(stage__number=2)
    actions.rerun_match(tournament.matches.order_by("pk")[0], None, "The clocks stood still.")
    assert verified_state(tournament) == "running"
    for attempt in actions.claim("season/1", 500):
        if attempt.match.deal_group.stage.number == 1:
            assert actions.store_result(attempt.pk, outcome(attempt.match, by_version, CHANCE))
        else:
            release_attempts([attempt.pk], "Claimed on the way.")
    assert not actions.advance(tournament.pk), "the same entrants advance"
    final.refresh_from_db()
    assert final.retired is None
    assert play_on(tournament, by_version).state == "finished"
    assert verified_state(tournament) == "finished"
