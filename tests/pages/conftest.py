"""A small site for page tests, with uncollected static files and no sandbox."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from bots import actions as bot_actions
from bots.models import Bot, BotVersion
from tests import factories
from tests.snapshots import Snapshot
from tournaments import actions, projections
from tournaments.models import Tournament


@pytest.fixture(autouse=True)
def _test_settings(settings: Any) -> None:
    cache.clear()  # resets throttles
    settings.WORKERS_ELSEWHERE = True
    settings.SECRET_KEY = "a key for tests"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


class World:
    """Authors, bots, and a tournament in every state."""

    def __init__(self) -> None:
        self.owner = factories.user("owner")
        self.organizer = factories.user("organizer")
        self.magpie = factories.bot(self.owner, "Magpie")
        self.jay = factories.bot(factories.user("さくら"), "凪 Nagi")
        self.house = factories.house_bot("house:random")
        bots = [self.magpie, self.jay, self.house]
        common: dict[str, Any] = {"by": self.organizer}
        self.finished = factories.tournament(bots, name="Autumn Cup", start=True, **common)
        factories.finish_all(self.finished)
        projections.refresh()
        self.running = factories.tournament(bots, name="Winter Cup", start=True, **common)
        self.open = factories.tournament([self.magpie], name="Spring Cup", **common)
        self.draft = actions.create_tournament(
            self.organizer, name="Summer Cup", format=factories.FORMAT
        )


_worlds = Snapshot(World)


@pytest.fixture
def world(db: None) -> World:
    """The `World`, created by the site's actions."""
    return _worlds()


def reject(bot: Bot, summary: str) -> BotVersion:
    """A version of the bot whose check failed with this summary."""
    version = bot_actions.queue_version(bot, factories.package(summary), "a try")
    check = bot_actions.begin_check(version.pk, "worker")
    assert check is not None
    step = {
        "name": "start",
        "title": "The bot starts",
        "status": "failed",
        "seconds": 0.5,
        "text": summary,
        "detail": "To reproduce it at home:\n  cardroom check bot.py",
    }
    assert bot_actions.finish_check(
        check, "rejected", steps=[step], summary=summary, log="a secret thought"
    )
    version.refresh_from_db()
    return version


def stuck(tournament: Tournament) -> int:
    """Make a match, and its replacements, fail five times; return the last match's primary key."""
    number = 0
    for _ in range(5):
        while True:
            (attempt,) = actions.claim("worker", 1)
            if number in (0, attempt.match.deal_group.instead_of_id):
                break
        number = attempt.match.deal_group_id
        actions.fail_attempt(attempt.pk, "The worker lost the database.")
        factories.end_retry_delays()
    return attempt.match_id
