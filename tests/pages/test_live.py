"""Watching a running match: the delay, hidden cards, and when nothing is shown."""

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
def _uncached(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use uncollected static files, and query the database each time."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    monkeypatch.setattr(live, "POLL_SECONDS", 0.0)
    live.clear()
    yield
    live.clear()


def running_attempt(record: Record) -> models.Attempt:
    """An attempt to play this record, with no moves written yet."""
    match = finished.match(record.format, state="playing")
    models.DealGroup.objects.filter(pk=match.deal_group_id).update(seed=record.seed)
    until = now() + timedelta(minutes=1)
    return models.Attempt.objects.create(match=match, number=1, worker="w@h/1", lease_until=until)


def write(attempt: models.Attempt, record: Record, first: int, end: int, *, ago: float) -> None:
    """Write moves of the record as a worker would have done `ago` seconds ago."""
    live_moves.append_moves(attempt.pk, attempt.match_id, first, record.moves[first:end])
    rows = models.LiveMoves.objects.filter(attempt=attempt, first=first)
    rows.update(written=Now(-ago))


def poll(client: Client, watched: models.Attempt, **known: Any) -> dict[str, Any]:
    response = client.get(f"/matches/{watched.match_id}/live/", known)
    assert response.status_code == 200
    state: dict[str, Any] = response.json()
    return state


def test_moves_are_shown_when_the_delay_is_over(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running_attempt(record)
    models.Tournament.objects.update(live_delay=3600)
    write(attempt, record, 0, 5, ago=3601)
    write(attempt, record, 5, 9, ago=1800)
    state = poll(client, attempt)
    assert state["attempt"] == attempt.pk
    assert [frame["move"] for frame in state["frames"]] == [None, *record.moves[:5]]
    models.Tournament.objects.update(live_delay=1800)
    later = poll(client, attempt, attempt=attempt.pk, after=6)
    assert later["first"] == 6
    assert [frame["move"] for frame in later["frames"]] == record.moves[5:9]
    assert poll(client, attempt, attempt=attempt.pk, after=10)["frames"] == []


def test_a_page_with_an_old_attempt_restarts_at_the_current_deal(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running_attempt(record)
    write(attempt, record, 0, 60, ago=60)  # a deal has 48 moves
    for known in ({}, {"attempt": 10**12, "after": 3}, {"attempt": attempt.pk, "after": 999}):
        state = poll(client, attempt, **known)
        assert {frame["deal"] for frame in state["frames"]} == {1}
        assert state["frames"][0]["n"] is None
    before = poll(client, attempt, attempt=attempt.pk, after=40)["frames"]
    assert [frame["n"] for frame in before[:3]] == [39, 40, 41]


def test_hands_stock_notes_and_times_are_hidden(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running_attempt(record)
    write(attempt, record, 0, 20, ago=60)
    for frame in poll(client, attempt)["frames"]:
        assert frame["view"]["hands"] == [[], []]
        assert frame["view"]["hand"] == []
        assert frame["view"]["stock_cards"] == []
        assert frame["note"] is None
        assert frame["clock_ms"] is None


@pytest.mark.parametrize("state", ["waiting", "playing", "stuck"])
def test_moves_are_hidden_while_the_group_has_unplayed_matches(client: Client, state: str) -> None:
    record = finished.play(FORM)
    attempt = running_attempt(record)
    write(attempt, record, 0, 20, ago=3600)
    match = attempt.match
    other = models.Match.objects.create(
        deal_group=match.deal_group, tournament=match.tournament, rotation=1, format=FORM
    )
    models.Match.objects.filter(pk=other.pk).update(state=state)
    assert poll(client, attempt) == {"attempt": None, "first": 0, "again": 3, "frames": []}
    assert "data-live" not in client.get(f"/matches/{match.pk}/").content.decode()
    models.Match.objects.filter(pk=other.pk).update(state="void")
    assert poll(client, attempt)["frames"]


def test_an_ended_attempt_shows_no_moves(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running_attempt(record)
    write(attempt, record, 0, 20, ago=60)
    assert poll(client, attempt)["frames"]
    assert live_moves.delete_ended_moves() == 0
    models.Attempt.objects.update(outcome="lost")
    assert poll(client, attempt)["attempt"] is None
    assert live_moves.delete_ended_moves() == 1


def test_the_page_shows_the_table_when_an_attempt_starts(client: Client) -> None:
    record = finished.play(FORM)
    attempt = running_attempt(record)
    address = f"/matches/{attempt.match_id}/"
    assert "moves played" in client.get(address).content.decode()
    write(attempt, record, 0, 20, ago=60)
    assert client.get(address, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    page = client.get(address)
    setup = page.context["live"]
    assert set(setup["urls"]) == {"cards", "rules", "live"}
    assert "15 s behind" in page.content.decode()
    assert json.dumps(record.seed) not in json.dumps(setup)


def test_home_and_overview_show_a_running_or_the_most_dramatic_match(
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
    attempt = running_attempt(record)
    write(attempt, record, 0, 5, ago=-3600)  # younger than the delay
    assert client.get("/").context["watched"].match.pk == swinging.pk
    models.LiveMoves.objects.update(written=Now(-60))
    response = client.get("/")
    assert response.context["watched"].match.pk == attempt.match_id
    assert "data-live" in response.content.decode()
    assert set(response.context["setup"]["urls"]) == {"cards", "rules", "live"}
    playing = attempt.match.tournament
    table = client.get(f"/tournaments/{playing.slug}/table/")
    assert table.context["watched"].match.pk == attempt.match_id
    assert "data-live" in table.content.decode()
    assert featured_match(dull.tournament) == FeaturedMatch(dull.pk, live=False)


def test_home_shows_the_strongest_running_match(client: Client) -> None:
    record = finished.play(FORM)
    attempts = []
    for slug in ("one", "two"):
        attempts.append(running_attempt(record))
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
