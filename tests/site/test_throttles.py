"""A refused request says how long to wait."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.test import RequestFactory

from cardroom import throttles

pytestmark = pytest.mark.django_db


def test_the_last_half_second_of_a_wait_counts_as_a_second(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = rf.post("/play/")
    request.user = AnonymousUser()
    cache.clear()  # other tests of this process made requests at later times
    time = 1_000_000.0
    monkeypatch.setattr(throttles.TableThrottle, "timer", lambda _: time)
    monkeypatch.setattr(throttles.TableThrottle, "rate", "1/min", raising=False)
    assert throttles.table_wait(request) is None
    time += 59.7
    assert throttles.table_wait(request) == 1
    time += 0.3
    assert throttles.table_wait(request) is None
