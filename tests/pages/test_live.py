"""A running match as people may watch it: how late, how closed, and when not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from bots.models import Bot, BotVersion
from cardroom import live
from cardroom.pages.matches.featured import FeaturedMatch, featured_match
from cardroom_base.db.db_time import Now, now
from engine import Record
from tests.pages import finished
from tournaments import models
from tournaments.actions import live_moves

pytestmark = pytest.mark.django_db

FORM = "cassino/standard/1v1?deals=3&target=0"


@pytest.fixture(autouse=True)
def _fresh(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Static files as they lie; the database is asked each time."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    monkeypatch.setattr(live, "POLL_SECONDS", 0.0)
    live.clear()
    yield
    live.clear()


def running(record: Record) -> models.Attempt:
    """The attempt that plays this record; nothing of it has been written."""
    found = finished.match(record.format, state="playing")
    models.DealGroup.objects.filter(pk=found.deal_group_id).update(seed=record.seed)
    until = now() + timedelta(minutes=1)
    return models.Attempt.objects.create(match=found, number=1, worker="w@h/1", lease_until=until)


def write(attempt: models.Attempt, record: Record, first: int, end: int, *, ago: float) -> None:
    """Moves of the record as a worker wrote them so many seconds ago."""
    live_moves.append_moves(attempt.pk, attempt.match_id, first, record.moves[first:end])
    rows = models.LiveMoves.objects.filter(attempt=attempt, first=first)
    rows.update(written=Now(-ago))


def ask(client: Client, watched: models.Attempt, **known: Any) -> dict[str, Any]:
    answer = client.get(f"/matches/{watched.match_id}/live/", known)
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


def test_moves_are_shown_when_the_delay_is_over(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running(record)
    models.Tournament.objects.update(live_delay=3600)
    write(attempt, record, 0, 5, ago=3601)
    write(attempt, record, 5, 9, ago=1800)
    told = ask(client, attempt)
    assert told["attempt"] == attempt.pk
    assert [frame["move"] for frame in told["frames"]] == [None, *record.moves[:5]]
    models.Tournament.objects.update(live_delay=1800)
    later = ask(client, attempt, attempt=attempt.pk, after=6)
    assert later["first"] == 6
    assert [frame["move"] for frame in later["frames"]] == record.moves[5:9]
    assert ask(client, attempt, attempt=attempt.pk, after=10)["frames"] == []


def test_a_page_that_knows_another_attempt_begins_with_the_deal_in_play(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running(record)
    write(attempt, record, 0, 60, ago=60)  # a deal has 48 moves
    for known in ({}, {"attempt": 10**12, "after": 3}, {"attempt": attempt.pk, "after": 999}):
        told = ask(client, attempt, **known)
        assert {frame["deal"] for frame in told["frames"]} == {1}
        assert told["frames"][0]["n"] is None
    before = ask(client, attempt, attempt=attempt.pk, after=40)["frames"]
    assert [frame["n"] for frame in before[:3]] == [39, 40, 41]


def test_no_hand_stock_note_or_time_is_shown(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running(record)
    write(attempt, record, 0, 20, ago=60)
    for frame in ask(client, attempt)["frames"]:
        assert frame["view"]["hands"] == [[], []]
        assert frame["view"]["hand"] == []
        assert frame["view"]["stock_cards"] == []
        assert frame["note"] is None
        assert frame["clock_ms"] is None


@pytest.mark.parametrize("state", ["waiting", "playing", "stuck"])
def test_nothing_is_shown_while_the_same_cards_are_to_be_played_elsewhere(
    client: Client, state: str
) -> None:
    record = finished.play(FORM)
    attempt = running(record)
    write(attempt, record, 0, 20, ago=3600)
    match = attempt.match
    other = models.Match.objects.create(
        deal_group=match.deal_group, tournament=match.tournament, rotation=1, format=FORM
    )
    models.Match.objects.filter(pk=other.pk).update(state=state)
    assert ask(client, attempt) == {"attempt": None, "first": 0, "again": 3, "frames": []}
    assert "data-live" not in client.get(f"/matches/{match.pk}/").content.decode()
    models.Match.objects.filter(pk=other.pk).update(state="void")
    assert ask(client, attempt)["frames"]


def test_nothing_is_shown_of_an_attempt_that_has_ended(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running(record)
    write(attempt, record, 0, 20, ago=60)
    assert ask(client, attempt)["frames"]
    assert live_moves.delete_ended_moves() == 0
    models.Attempt.objects.update(outcome="lost")
    assert ask(client, attempt)["attempt"] is None
    assert live_moves.delete_ended_moves() == 1


def test_the_page_shows_the_table_as_soon_as_there_is_one(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running(record)
    address = f"/matches/{attempt.match_id}/"
    assert "moves played" in client.get(address).content.decode()
    write(attempt, record, 0, 20, ago=60)
    assert client.get(address, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    page = client.get(address)
    setup = page.context["live"]
    assert set(setup["urls"]) == {"cards", "rules", "live"}
    assert "15 s behind" in page.content.decode()
    assert json.dumps(record.seed) not in json.dumps(setup)


def test_home_and_the_tournament_show_a_running_table_or_else_the_most_dramatic(
    client: Client,
) -> None:
    swinging = finished.match(finished.play(FORM))
    models.Match.objects.update(drama=300)
    models.Tournament.objects.update(slug="older")
    dull = finished.match(finished.play(FORM))
    models.Tournament.objects.filter(pk=dull.tournament_id).update(slug="newer")
    assert client.get("/").context["watched"].match.pk == swinging.pk
    assert "data-watch" in client.get("/").content.decode()
    assert featured_match(dull.tournament) == FeaturedMatch(dull.pk, live=False)
    record = finished.play(FORM)
    attempt = running(record)
    write(attempt, record, 0, 5, ago=-3600)  # younger than the delay
    assert client.get("/").context["watched"].match.pk == swinging.pk
    models.LiveMoves.objects.update(written=Now(-60))
    home = client.get("/")
    assert home.context["watched"].match.pk == attempt.match_id
    assert "data-live" in home.content.decode()
    assert set(home.context["setup"]["urls"]) == {"cards", "rules", "live"}
    playing = attempt.match.tournament
    table = client.get(f"/tournaments/{playing.slug}/table/")
    assert table.context["watched"].match.pk == attempt.match_id
    assert "data-live" in table.content.decode()
    assert featured_match(dull.tournament) == FeaturedMatch(dull.pk, live=False)


def test_of_several_running_tables_the_strongest_is_shown(client: Client) -> None:
    record = finished.play(FORM)
    attempts = []
    for slug in ("one", "two"):
        attempts.append(running(record))
        models.Tournament.objects.filter(slug="pairs-2026").update(slug=slug)
        write(attempts[-1], record, 0, 5, ago=60)
    strong = attempts[1]
    other = BotVersion.objects.create(
        bot=Bot.objects.create(slug="fox", name="Fox"),
        number=1,
        package=models.Seat.objects.filter(match=strong.match)[0].version.package,
    )
    models.Seat.objects.filter(match=strong.match_id, index=0).update(version=other)
    pool = FORM.partition("?")[0]
    models.Rating.objects.create(pool=pool, version=other, live=3000.0)
    assert client.get("/").context["watched"].match.pk == strong.match_id
