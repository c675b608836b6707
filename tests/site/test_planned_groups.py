"""Tournaments with very many matches: the first exist at the start, the others come later."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client

from cardroom_base.db.db_time import now
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import actions, archive, tasks
from tournaments.actions import deal_groups, rounds
from tournaments.exports.archive import archive_of
from tournaments.models import Match, PlannedGroups, Seat, Tournament
from tournaments.reading import tournament_standings

pytestmark = pytest.mark.django_db

MATCHES = 20
"""The number for five bots, with one deal group for each pair."""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_groups, "PIECE", 8)  # two rounds


@pytest.fixture
def cup() -> Tournament:
    return make.tournament(5, start=True)


def rows(cup: Tournament) -> list[Any]:
    """Everything that creating deal groups decides."""
    seats = Seat.objects.filter(match__tournament=cup).order_by("match", "index")
    group = ("number", "round", "pairing", "group", "seed", "commitment")
    return list(
        seats.values_list(
            *(f"match__deal_group__{name}" for name in group),
            *("match__rotation", "match__priority", "index", "side", "entry__number", "version"),
        )
    )


def advance_all(cup: Tournament) -> int:
    """Advance until nothing changes; the number of changes."""
    changes = 0
    while actions.advance(cup.pk):
        changes += 1
    return changes


def test_pieces_equal_a_whole_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    bots = [make.bot() for _ in range(5)]
    pieces = make.tournament(bots, start=True)
    assert pieces.matches.count() == 8
    assert [row.matches for row in pieces.planned.order_by("pk")] == [8, 4]
    while make.housekeep():
        pass
    monkeypatch.setattr(deal_groups, "PIECE", MATCHES)
    unsplit = make.tournament(bots, start=True)
    assert not PlannedGroups.objects.exists()
    assert rows(pieces) == rows(unsplit)
    assert len(rows(unsplit)) == 2 * MATCHES


def test_an_interrupted_piece_is_created_once(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise SystemExit("killed")

    actions.advance(cup.pk)
    before = rows(cup)
    with monkeypatch.context() as patch:
        patch.setattr(deal_groups, "announce_many", die)  # after its rows are written
        with pytest.raises(SystemExit):
            actions.advance(cup.pk)
    assert rows(cup) == before
    OutboxMessage.objects.all().delete()  # the request is lost, too
    while PlannedGroups.objects.exists():
        assert tasks.sweep()["advanced"] == 1
    assert cup.matches.count() == MATCHES
    places = cup.deal_groups.values_list("round", "pairing")
    assert len(set(places)) == places.count() == MATCHES // 2
    numbers = cup.deal_groups.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, MATCHES // 2 + 1))
    assert advance_all(cup) == 0


def test_a_tournament_ends_after_its_last_piece(cup: Tournament) -> None:
    make.finish_all(cup)  # advances once
    assert cup.state == "running"
    assert len(tournament_standings(cup)) == 5
    advance_all(cup)
    make.finish_all(cup)
    assert cup.state == "finished"
    assert cup.matches.filter(state="finished").count() == MATCHES


def test_pages_and_rest_count_planned_matches(cup: Tournament, client: Client) -> None:
    def progress() -> Any:
        return client.get(f"/api/v1/tournaments/{cup.slug}/").json()["progress"]

    page = f"/tournaments/{cup.slug}/"
    assert progress() == {"matches": MATCHES, "finished": 0, "stuck": 0, "planned": 12}
    content = client.get(page).content.decode()
    assert "12 of the waiting matches are still being created" in " ".join(content.split())
    assert f"0 of {MATCHES} matches" in content
    advance_all(cup)
    assert progress() == {"matches": MATCHES, "finished": 0, "stuck": 0, "planned": 0}
    assert "still being created" not in client.get(page).content.decode()


def test_a_cancelled_tournament_creates_no_more_groups(cup: Tournament) -> None:
    actions.cancel(cup, None)
    assert not PlannedGroups.objects.exists()
    assert advance_all(cup) == 0
    assert set(cup.matches.values_list("state", flat=True)) == {"void"}


def test_the_scheduled_end_waits_for_the_last_piece(cup: Tournament) -> None:
    Tournament.objects.filter(pk=cup.pk).update(ends_at=now())
    assert not actions.schedule.stop_if_due(cup)
    advance_all(cup)
    assert actions.schedule.stop_if_due(cup)
    assert set(cup.matches.values_list("state", flat=True)) == {"void"}


def test_standings_freeze_before_the_last_piece() -> None:
    cup = make.tournament(5, start=True, rated=False, freezes_after=1)
    while claimed := actions.claim("test/1", 10):
        for attempt in claimed:
            actions.store_result(attempt.pk, make.outcome(attempt.match))
    assert actions.advance(cup.pk)
    cup.refresh_from_db()
    assert cup.frozen is not None
    assert cup.matches.count() == 16


def test_an_archive_before_the_last_piece_can_be_verified(cup: Tournament) -> None:
    for _ in range(3):
        verified = archive.verify(io.BytesIO(b"".join(archive_of(cup))))
        assert verified.state == "running"
        assert verified.groups == cup.deal_groups.count()
        actions.advance(cup.pk)
    assert not PlannedGroups.objects.exists()


def test_an_error_is_shown_until_the_next_piece_is_created(
    cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(deal_groups, "_create_with_matches", None)
        assert not rounds.try_advance(cup.pk)
    cup.refresh_from_db()
    assert "TypeError" in cup.trouble
    assert rounds.try_advance(cup.pk)
    cup.refresh_from_db()
    assert not cup.trouble


def test_a_round_of_a_swiss_is_created_completely() -> None:
    stages = [{"system": "swiss", "groups": 4, "settings": {"rounds": 2}}]
    cup = make.tournament(4, stages=stages, start=True)
    assert cup.matches.count() == 16
    assert not PlannedGroups.objects.exists()
    assert Match.objects.filter(tournament=cup, deal_group__round=1).count() == 16
