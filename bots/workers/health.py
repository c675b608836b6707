"""Whether this worker process is well: failures of its machine, told apart from those of the work.

A machine need not die to be of no use. One whose sandboxes no longer start fails matches faster
than others play them, and so would draw all work to itself. Therefore a process tests itself after
each failure that is no bot's: it checks its isolation again, and lets two harmless bots play.

- The test fails: the machine is ill, and the failure is the machine's.
- The test passes, but `IN_A_ROW` different pieces of work failed here and none succeeded in
  between: the machine is ill, too, unless the bots of one author were in all of them. An author
  who finds out how to make matches fail must not be able to put machines out of action.
- Otherwise the failure is the work's.

An ill process takes no work. It rests, longer each time, tests itself, and once well takes one
piece of work at a time until one has succeeded. It keeps the message that woke it, so that the
messages still waiting wake others.

Matches that bring down one machine after another are told from ill machines by the state before:
a failure with which a process falls ill counts against the work when that process had just
succeeded with other work.
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
from bots.referee.outcome import Player
from bots.referee.referee import play_match
from bots.sandbox import Sandbox, detect
from cardroom_base.core import backoff, drain, names
from engine import Format

log = logging.getLogger(__name__)


class Times(NamedTuple):
    """Seconds that a process waits before it takes work again."""

    rest: float
    """The first wait while it is ill; each later one is twice as long."""
    longest: float
    """At most, while it is ill."""
    pause: float
    """After a failure with which it did not fall ill, by how many came before it in a row."""
    longest_pause: float


TIMES = Times(
    rest=backoff.FIRST_SECONDS,
    longest=backoff.LONGEST_SECONDS,
    pause=1.0,
    longest_pause=5.0,
)
IN_A_ROW: Final = 3
"""Different pieces of work whose failures, with no success in between, show an ill machine."""
TEST_FORMAT: Final = "cassino/standard/1v1?deals=1"
"""What the test plays where nothing else is known."""
TEST_SECONDS: Final = 0.5
"""How long the bots of a test may take at most; a long match stops there."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A piece of work that this process could not do, and apparently by no bot's fault."""

    work: Hashable
    """What failed; a match that gets new cards is still the same work."""
    cause: str
    suspects: frozenset[int] = frozenset()
    """Authors whose bots may have caused it."""
    elsewhere: bool = False
    """Whether it has failed on another machine, too."""
    format: str = TEST_FORMAT


def ailment(format_: str = TEST_FORMAT, *, trusted: bool = False) -> str:
    """Why no match can be played here now, found out by playing one; empty if one can.

    Takes about half a second. Raises nothing.
    """
    try:
        isolation = None if trusted else detect(again=True)
        if isolation is not None and isolation.level == "none":
            return isolation.reason
        fmt = Format.parse(format_)
        players = [Player(names.RANDOM, house.find(names.RANDOM))] * fmt.seats
        with Sandbox(trusted=trusted) as sandbox:
            played = play_match(fmt, "test", players, sandbox=sandbox, seconds=TEST_SECONDS)
    except Exception as error:  # noqa: BLE001 - whatever it is, it keeps bots from playing
        return f"A test match could not be played: {type(error).__name__}: {error}"
    if played.faults:
        return f"A test match went wrong: {played.faults[0].detail}"
    return ""


class Health:
    """The health of one worker process; only its main thread uses it."""

    def __init__(self, worker: str, test: Callable[..., str] = ailment) -> None:
        """`worker`: the name under which it claims, `node/process`."""
        self.ill = False
        self.trusted = False
        """Whether bots play here without isolation, so that the test does, too."""
        self._worker = worker
        self._test = test
        self._proven = False
        self._failures = 0
        self._row: dict[Hashable, frozenset[int]] = {}
        self._format = TEST_FORMAT
        self._rest = TIMES.rest
        self._pause = 0.0
        self._trouble = ""

    @property
    def careful(self) -> bool:
        """Whether it should take one piece of work at a time: the last one failed."""
        return self._failures > 0

    def test(self) -> str:
        """Why no match can be played here now; empty if one can."""
        return self._test(self._format, trusted=self.trusted)

    def succeeded(self) -> None:
        """A piece of work has been done: the process is well."""
        self._proven = True
        if self._failures:
            self._failures = 0
            self._row.clear()
            self._rest = TIMES.rest
            self._recovered()

    def judge(self, failure: Failure) -> bool:
        """Whether a failure counts against the work; the process may be ill from then on."""
        proven, self._proven = self._proven, False
        self._pause = min(TIMES.longest_pause, TIMES.pause * self._failures)
        self._failures += 1
        self._format = failure.format
        if trouble := self.test():
            self._fall_ill(trouble)
            return proven
        if failure.elsewhere or failure.work in self._row:
            return True
        self._row[failure.work] = failure.suspects
        if len(self._row) == 1 or frozenset.intersection(*self._row.values()):
            return True
        if len(self._row) >= IN_A_ROW:
            count = len(self._row)
            self._fall_ill(f"{count} different ones failed in a row, the last: {failure.cause}")
        return False

    def step_back(self) -> None:
        """Leave work that is not for this process to others, by a short rest."""
        self._pause = TIMES.longest_pause

    def rest(self) -> None:
        """Wait until this process may take work again: until it is well if it is ill, and for a
        moment after a failure. Ends at once when the worker is told to take no more work."""
        if not self.ill:
            drain.rest(self._pause)
            self._pause = 0.0
        while self.ill and not drain.rest(self._rest):
            self._rest = min(TIMES.longest, 2 * self._rest)
            if trouble := self.test():
                self._fall_ill(trouble)
            else:
                self._stand_up()

    def _fall_ill(self, trouble: str) -> None:
        if trouble != self._trouble:
            log.error("%s takes no more work until it is well: %s", self._worker, trouble)
        self.ill, self._trouble = True, trouble
        self._tell(lambda node: report_trouble(node, trouble))

    def _stand_up(self) -> None:
        """The test passes. Where it passed before, only work that succeeds tells more."""
        self.ill = False
        log.info("%s takes work again, one at a time at first.", self._worker)
        if len(self._row) < IN_A_ROW:
            self._recovered()

    def _recovered(self) -> None:
        if self._trouble:
            log.info("%s is well again.", self._worker)
            self._trouble = ""
            self._tell(report_recovery)

    def _tell(self, report: Callable[[str], None]) -> None:
        """Let everybody know, if the database is there; the next test reports it again."""
        try:
            report(self._worker.partition("/")[0])
        except Exception as error:  # noqa: BLE001 - databases fail in many ways
            log.warning("The health of %s cannot be reported now: %s", self._worker, error)
            with suppress(Exception):
                connection.close_if_unusable_or_obsolete()


_known: dict[str, Health] = {}


def of_worker(worker: str) -> Health:
    """The health of the process that claims under this name, kept as long as the process lives."""
    if worker not in _known:
        _known[worker] = Health(worker)
    return _known[worker]
