"""A small site for REST tests: authors, bots, a tournament in each state except cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from rest_framework.test import APIClient

from bots import actions as bot_actions
from bots.models import Bot, BotVersion, Check
from bots.referee.outcome import MatchOutcome, SeatReport
from engine import Format, Match, Record
from tests import factories
from tests.snapshots import Snapshot
from tournaments import actions, projections
from tournaments.models import Attempt, Tournament
from tournaments.models import Match as MatchRow

SOURCE = factories.source()
FORMAT = "cassino/standard/1v1?target=5"


@pytest.fixture(autouse=True)
def _test_settings(settings: Any) -> Iterator[None]:
    """Allow uploads without a sandbox, reset throttles, serve static files uncollected."""
    settings.WORKERS_ELSEWHERE = True
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def client() -> APIClient:
    """A client that is not logged in."""
    return APIClient()


def assert_problem(response: Any, status: int, *details: str) -> dict[str, Any]:
    """Assert that the response is a problem with this status and these details; return it."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert set(body) - {"errors"} == {"type", "title", "status", "detail", "instance"}
    for detail in details:
        assert detail in body["detail"], body
    return body


@dataclass
class ApiWorld:
    """The objects of the fixture `world`."""

    owner: User
    other: User
    organizer: User
    staff: User
    bots: list[Bot]
    """`Magpie` and `Rook` of owner, `Jay` of other, `house:first` of the site."""
    finished: Tournament
    running: Tournament
    open: Tournament
    draft: Tournament

    @property
    def match(self) -> MatchRow:
        """A finished match in which Magpie sits on seat 0 or 1."""
        return self.finished.matches.filter(seats__version__bot=self.bots[0]).order_by("pk")[0]


@pytest.fixture
def world(db: None) -> ApiWorld:
    """The `ApiWorld`, created by the site's actions."""
    return _worlds()


def create_world() -> ApiWorld:
    """Users, bots, and tournaments: twelve finished matches, two waiting ones."""
    owner, other, organizer = (factories.user(name) for name in ("owner", "other", "organizer"))
    staff = factories.user("staff", staff=True)
    bots = [
        factories.bot(owner, "Magpie"),
        factories.bot(owner, "Rook"),
        factories.bot(other, "Jay"),
        factories.house_bot("house:first"),
    ]
    common: dict[str, Any] = {"by": organizer, "format": FORMAT}
    finished = factories.tournament(bots, name="Autumn Cup", start=True, **common)
    play_all(finished)
    running = factories.tournament(bots[:2], name="Winter Cup", start=True, **common)
    open_ = factories.tournament(bots[:1], name="Spring Cup", **common)
    draft = actions.create_tournament(organizer, name="Summer Cup", format=FORMAT)
    projections.refresh()
    return ApiWorld(owner, other, organizer, staff, bots, finished, running, open_, draft)


_worlds = Snapshot(create_world)


def pass_check(version: BotVersion) -> None:
    """Pass the check of a new version, as a worker would."""
    check = bot_actions.begin_check(version.pk, "worker")
    assert isinstance(check, Check)
    step = {
        "name": "package",
        "title": "Package",
        "status": "ok",
        "seconds": 0.1,
        "text": "Fine.",
        "detail": "",
    }
    assert bot_actions.finish_check(
        check, "ready", steps=[step], summary="Ready.", log="hello from the bot"
    )


def play_all(tournament: Tournament) -> None:
    """Play all matches of a tournament."""
    while attempts := actions.claim("factory", 100):
        for attempt in attempts:
            assert attempt.match.tournament_id == tournament.pk
            assert actions.store_result(attempt.pk, outcome_of(attempt))
    actions.advance(tournament.pk)
    tournament.refresh_from_db()


def outcome_of(attempt: Attempt) -> MatchOutcome:
    """The outcome of a match in which each seat plays legal moves that depend on the seed."""
    row = attempt.match
    fmt = Format.parse(row.format)
    match = Match(fmt, seed=row.deal_group.seed)
    while match.turn is not None:
        legal = match.legal_moves()
        match.play(legal[(len(match.moves) * 7 + row.rotation) % len(legal)])
    names = [{"name": seat.version.bot.name} for seat in row.seats.all()]
    record = Record.of(match, names)
    record.clock_ms = [1] * len(record.moves)
    record.notes = {"0": "a note"}
    reports = [SeatReport(n["name"], 5.4, 6.6, 1.0, 900, b"my log", 9, None) for n in names]
    return MatchOutcome(record, reports)
