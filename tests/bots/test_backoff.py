"""Delays before failed work is retried."""

from __future__ import annotations

from cardroom_base.core import backoff


def test_delays_grow_up_to_a_limit() -> None:
    seconds = [backoff.delay(failures).total_seconds() for failures in (0, 1, 2, 3, 7, 9, 5000)]
    assert seconds == [0, 5, 10, 20, 300, 300, 300]
