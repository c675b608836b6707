"""Judge the health of this worker process: tell failures of its machine from those of its work.

A broken machine is worse than a dead one: if its sandboxes do not start, it fails matches faster
than others play them, and so takes all the work. Therefore a process tests itself after each
failure that no bot caused: it checks its isolation again, and lets two harmless bots play.

- If the test fails, the machine is ill, and the failure is the machine's.
- If the test passes, but `IN_A_ROW` different pieces of work failed here and none succeeded in
  between, the machine is ill, too, unless bots of one author took part in all of them: an author
  who can make matches fail must not be able to disable machines.
- Otherwise the failure is the work's.

An ill process takes no work. It rests, longer each time, and tests itself. Once a test passes, it
takes one piece of work at a time until one has succeeded. Meanwhile it keeps the message that woke
it, and other messages wake other processes.

Some matches break one machine after another. So the failure that makes a process ill counts against
the work if the process had just succeeded with other work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db import connection

from bots.actions import report_recovery, report_trouble
from bots.referee import house
from bots.referee.outcome import SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Sandbox, detect
from cardroom_base.core import backoff, drain, names
from engine import Format

log = logging.getLogger(__name__)


class WaitTimes(NamedTuple):
    """Seconds that a process waits before it takes work again."""

    rest: float
    """The first wait of an ill process; each later one is twice as long."""
    longest: float
    """The longest wait of an ill process."""
    pause: float
    """The wait after a failure that did not make it ill, for each earlier failure in a row."""
    longest_pause: float


TIMES = WaitTimes(
    rest=backoff.FIRST_SECONDS,
    longest=backoff.LONGEST_SECONDS,
    pause=1.0,
    longest_pause=5.0,
)
IN_A_ROW: Final = 3
"""Failures of different pieces of work, with no success in between, that show an ill machine."""
TEST_FORMAT: Final = "cassino/standard/1v1?deals=1"
"""The default format of the test; after a failure, the format that failed is tested."""
TEST_SECONDS: Final = 0.5
"""Seconds of the bots' time in a test; a longer match is stopped."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A piece of work that this process could not do, apparently without a bot's fault."""

    work: Hashable
    """Identifies the work; a match with new cards is still the same work."""
    cause: str
    suspects: frozenset[int] = frozenset()
    """Primary keys of authors whose bots may have caused it."""
    elsewhere: bool = False
    """Whether the work has failed on another machine, too."""
    format: str = TEST_FORMAT


def run_test_match(format_: str = TEST_FORMAT, *, trusted: bool = False) -> str:
    """Play a test match; return why this process cannot play, or an empty text.

    It takes about half a second and raises no exception.
    """
    try:
        isolation = None if trusted else detect(again=True)
        if isolation is not None and isolation.level == "none":
            return isolation.reason
        fmt = Format.parse(format_)
        players = [SeatedBot(names.RANDOM, house.find(names.RANDOM))] * fmt.seats
        with Sandbox(trusted=trusted) as sandbox:
            outcome = play_match(fmt, "test", players, sandbox=sandbox, seconds=TEST_SECONDS)
    except Exception as error:  # noqa: BLE001 - any error keeps bots from playing
        return f"A test match could not be played: {type(error).__name__}: {error}"
    if outcome.faults:
        return f"A test match went wrong: {outcome.faults[0].detail}"
    return ""


class Health:
    """The health of one worker process, for its main thread only."""

    def __init__(self, worker: str, test: Callable[..., str] = run_test_match) -> None:
        """`worker`: the name of the process in claims, `node/process`."""
        self.ill = False
        self.trusted = False
        """Whether bots, also those of the test, play here without isolation."""
        self._worker = worker
        self._test = test
        self._last_succeeded = False
        self._failures = 0
        self._failed_work: dict[Hashable, frozenset[int]] = {}
        self._format = TEST_FORMAT
        self._rest_seconds = TIMES.rest
        self._pause_seconds = 0.0
        self._trouble = ""

    @property
    def takes_one_at_a_time(self) -> bool:
        """Whether to take one piece of work at a time, because the last one failed."""
        return self._failures > 0

    def test(self) -> str:
        """The result of `run_test_match` for the last failed format."""
        return self._test(self._format, trusted=self.trusted)

    def succeeded(self) -> None:
        """Record that work succeeded, so that the process is well."""
        self._last_succeeded = True
        if self._failures:
            self._failures = 0
            self._failed_work.clear()
            self._rest_seconds = TIMES.rest
            self._recovered()

    def judge(self, failure: Failure) -> bool:
        """Judge a failure; returns whether it counts against the work. The process may fall ill."""
        last_succeeded, self._last_succeeded = self._last_succeeded, False
        self._pause_seconds = min(TIMES.longest_pause, TIMES.pause * self._failures)
        self._failures += 1
        self._format = failure.format
        if trouble := self.test():
            self._fall_ill(trouble)
            return last_succeeded
        if failure.elsewhere or failure.work in self._failed_work:
            return True
        self._failed_work[failure.work] = failure.suspects
        if len(self._failed_work) == 1 or frozenset.intersection(*self._failed_work.values()):
            return True
        if len(self._failed_work) >= IN_A_ROW:
            count = len(self._failed_work)
            self._fall_ill(
                f"{count} different pieces of work failed in a row; the last: {failure.cause}"
            )
        return False

    def plan_pause(self) -> None:
        """Plan a short rest, so that other processes take the work that this one cannot do."""
        self._pause_seconds = TIMES.longest_pause

    def wait_until_ready(self) -> None:
        """Wait until this process may take work: briefly after a failure, else until it is well.

        Returns early if the worker drains.
        """
        if not self.ill:
            drain.sleep(self._pause_seconds)
            self._pause_seconds = 0.0
        while self.ill and not drain.sleep(self._rest_seconds):
            self._rest_seconds = min(TIMES.longest, 2 * self._rest_seconds)
            if trouble := self.test():
                self._fall_ill(trouble)
            else:
                self._resume()

    def _fall_ill(self, trouble: str) -> None:
        if trouble != self._trouble:
            log.error("%s takes no more work until it is well: %s", self._worker, trouble)
        self.ill, self._trouble = True, trouble
        self._report(lambda node: report_trouble(node, trouble))

    def _resume(self) -> None:
        """Take work again after a passed test; only successful work proves that it is well."""
        self.ill = False
        log.info("%s takes work again, one at a time at first.", self._worker)
        if len(self._failed_work) < IN_A_ROW:
            self._recovered()

    def _recovered(self) -> None:
        if self._trouble:
            log.info("%s is well again.", self._worker)
            self._trouble = ""
            self._report(report_recovery)

    def _report(self, report: Callable[[str], None]) -> None:
        """Report to the database if it is there; the next test reports again."""
        try:
            report(self._worker.partition("/")[0])
        except Exception as error:  # noqa: BLE001 - databases fail in many ways
            log.warning("The health of %s cannot be reported now: %s", self._worker, error)
            with suppress(Exception):
                connection.close_if_unusable_or_obsolete()


_health_by_worker: dict[str, Health] = {}


def of_process(worker: str) -> Health:
    """The health of the process with this name; the object lives as long as the process."""
    if worker not in _health_by_worker:
        _health_by_worker[worker] = Health(worker)
    return _health_by_worker[worker]
