"""cardroom_base.core.backoff: how long work that failed rests."""

from __future__ import annotations

from cardroom_base.core import backoff


def test_work_rests_longer_after_each_failure_but_not_for_ever() -> None:
    seconds = [backoff.delay(failures).total_seconds() for failures in (0, 1, 2, 3, 7, 9, 5000)]
    assert seconds == [0, 5, 10, 20, 300, 300, 300]
