"""Fixtures for people's tables: settings for tests, and bots without processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache

from cardroom_tables import host, match_cache
from tests.play.hall import Bots


@pytest.fixture(autouse=True)
def _clean_state(settings: Any) -> Iterator[None]:
    cache.clear()  # resets throttles and presence
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    match_cache.clear()
    yield
    host.close()


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> Bots:
    """Bots that answer at random, without processes."""
    fake = Bots()
    monkeypatch.setattr(host, "shared_sandbox", lambda: fake)
    return fake
