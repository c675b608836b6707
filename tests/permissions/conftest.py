"""A site without throttles and workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from rest_framework.throttling import SimpleRateThrottle


@pytest.fixture
def quiet(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No throttles, no collected files, a folder for dumps."""
    settings.WORKERS_ELSEWHERE = True
    settings.DUMP_DIR = tmp_path
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    rates = dict.fromkeys(SimpleRateThrottle.THROTTLE_RATES)
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
    cache.clear()
