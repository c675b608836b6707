"""A site that faults damage: queries of its database, waits, and the final check."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Self, TypeVar

import psycopg
import pytest

from cardroom.processes import die_with_parent
from tests.faults.table import FaultRow, FaultTable
from tests.preloaded import PreloadedProcess
from tests.sites import ROOT, eventually, running_descendants

FULL: Final = os.environ.get("CARDROOM_FULL") == "1"
SEPARATE_SITES: Final = FULL or os.environ.get("CARDROOM_FAULTS_SINGLY") == "1"
"""Whether each fault has its own site; else most faults share a site, which saves time."""
MAX_WAIT_SECONDS: Final = int(os.environ.get("CARDROOM_FAULT_PATIENCE", 1200 if FULL else 240))
"""Seconds within which a site must reach a state: far more than any machine needs."""
DATABASE_ERRORS: Final = psycopg.Error, sqlite3.Error
"""Exceptions of a database that is down."""

_SERVERS: Final = re.compile(r"^postgres:|/postgres -|(redis|valkey)-server.*127\.0\.0\.1:")

Value = TypeVar("Value")
Site = TypeVar("Site", bound="FaultySite")


@dataclass(frozen=True)
class InjectedFault(Generic[Site]):
    """A fault of a site, or of a part of it."""

    inject: Callable[[Site], None]
    full_size_only: bool = False
    """Whether small runs omit it, because another fault is similar."""
    needs: str = ""
    """The attribute of the site that it needs; the attribute may be None."""


Faults = Mapping[str, InjectedFault[Site]]


def fault_parameters(faults: Faults[Site]) -> list[Any]:
    """The parameters of a test: each fault by itself, or all in sequence on one site."""
    if not SEPARATE_SITES:
        shared = {name: fault for name, fault in faults.items() if not fault.full_size_only}
        return [pytest.param(shared, id="together")]
    return [
        pytest.param({name: fault}, id=name.replace(" ", "-")) for name, fault in faults.items()
    ]


def feasible_faults(site: FaultySite, faults: Faults[Site]) -> Faults[Site]:
    """The faults that this machine can produce; without any, the test is skipped."""
    feasible = {
        name: fault
        for name, fault in faults.items()
        if not fault.needs or getattr(site, fault.needs)
    }
    if not feasible:
        pytest.skip(f"This machine cannot produce these faults: {', '.join(faults)}.")
    return feasible


class Control:
    """A process that executes commands of `control.py` in a site's database; `with` ends it."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._log = folder / f"control-{len(list(folder.glob('control-*')))}"
        with self._log.open("wb") as log:
            self._process = PreloadedProcess(
                [sys.executable, str(ROOT / "tests" / "faults" / "control.py")],
                env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                preexec_fn=die_with_parent,
            )

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def __call__(self, command: str, *arguments: Any) -> Any:
        """Execute a command and return its result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # the log, printed below, tells the reason
            print(json.dumps([command, *arguments]), file=self._process.stdin, flush=True)
        result = self._process.stdout.readline()
        assert result, f"{command}: {self._log.read_text()[-3000:]}"
        return json.loads(result)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def remaining_processes(before: Iterable[int] = ()) -> list[str]:
    """Command lines of a site's processes that do not end; database servers are excluded."""
    running: list[str] = []

    def all_ended() -> bool:
        commands = running_descendants(before).values()
        running[:] = [command for command in commands if not _SERVERS.search(command)]
        return not running

    eventually(all_ended)
    return running


@dataclass
class FaultySite(ABC):
    """A site on one machine or on several hosts."""

    folder: Path
    table: FaultTable
    control: Control
    """The process that works in its database, started before the site."""
    faults: Counter[str] = field(default_factory=Counter, kw_only=True)
    """How often each fault was injected."""
    rng: random.Random = field(
        default_factory=lambda: random.Random(os.environ.get("CARDROOM_FAULT_SEED", "1")),
        kw_only=True,
    )
    before: dict[int, str] = field(default_factory=running_descendants, kw_only=True)
    """Processes that are older than the site."""

    # --- the differences between kinds of sites -------------------------------------------------

    @property
    @abstractmethod
    def kind(self) -> str:
        """Its database and its number of hosts, for the table."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Query the database directly. Raises one of DATABASE_ERRORS."""

    @abstractmethod
    def output(self) -> str:
        """The ends of its logs."""

    @abstractmethod
    def stop(self) -> list[str]:
        """Stop the site in order; return what it left behind, except processes."""

    # --- queries of its database ----------------------------------------------------------------

    def start_tournament(self, groups: int, think_ms: int = 0) -> None:
        """Start a tournament of three bots: six matches for each of `groups`."""
        self.control("start", groups, think_ms)

    def supply_matches(self, groups: int, think_ms: int = 0) -> None:
        """Start a tournament unless enough matches wait, so that faults interrupt matches."""
        [states] = self.wait(lambda: [self.states()], "The database is down.")
        if states["waiting"] < 6 * groups:
            self.start_tournament(groups, think_ms)

    def states(self) -> Counter[str]:
        """The numbers of waiting, playing, finished and stuck matches, except redealt ones."""
        query = """SELECT m.state, count(*) FROM tournaments_match AS m
                   JOIN tournaments_dealgroup AS deals ON deals.id = m.deal_group_id
                   WHERE deals.retired IS NULL GROUP BY m.state"""
        return Counter(dict(self.rows(query)))

    def attempts(self, worker: str, outcome: str) -> list[int]:
        """Ids of the attempts with this outcome by worker processes whose name begins like this."""
        query = f"""SELECT id FROM tournaments_attempt WHERE outcome = '{outcome}'
                    AND worker LIKE '{worker}/%' ORDER BY id"""
        return [key for (key,) in self.rows(query)]

    def is_over(self) -> bool:
        """Whether all tournaments have finished, or only stuck matches remain."""
        states = self.states()
        if states["stuck"] and not states["waiting"] + states["playing"]:
            return True
        unfinished = "SELECT count(*) FROM tournaments_tournament WHERE state <> 'finished'"
        return bool(states and self.rows(unfinished) == [(0,)])

    # --- waiting --------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], Value], problem: str) -> Value:
        """The first true value of a condition; without one, the test fails and prints all logs."""

        def value_or_none() -> Value | None:
            try:
                return condition()
            except DATABASE_ERRORS:
                return None

        value = eventually(value_or_none, MAX_WAIT_SECONDS)
        if not value:
            pytest.fail(f"{problem} {self.description()}")
        return value  # type: ignore[no-any-return]

    def await_results(self, count: int) -> None:
        """Wait until this number of results was added, or all tournaments are over."""
        total = self.wait(self.states, "The database is down.")["finished"] + count
        self.wait(
            lambda: self.states()["finished"] >= total or self.is_over(),
            f"There are fewer than {total} results.",
        )

    def pause(self, max_seconds: float = 6.0) -> None:
        """Let a fault last for a random time."""
        time.sleep(self.rng.uniform(max_seconds / 3, max_seconds) / (1 if FULL else 3))

    def description(self) -> str:
        """The site's state and its logs, for debugging."""
        try:
            states = str(dict(self.states()))
        except DATABASE_ERRORS as error:
            states = f"The database is down: {error}"
        return f"{states}, {dict(self.faults)} {self.output()}"

    # --- the final check ------------------------------------------------------------------------

    def finish_and_check(self, scenario: str) -> dict[str, Any]:
        """Wait for the end and stop the site; its counts must show no effect of the faults."""
        until = time.monotonic() + MAX_WAIT_SECONDS
        over = False
        while not over and time.monotonic() < until:
            with suppress(*DATABASE_ERRORS):
                over = self.is_over()
            time.sleep(0.2)
        description = self.description()
        remains = self.stop()
        remains += remaining_processes(self.before)
        counts: dict[str, Any] = self.control("count")
        row = FaultRow.from_counts(scenario, self.kind, self.faults, counts, len(remains))
        print(f"\n{row.text()}\n{json.dumps(counts)}")
        row.check_is_clean(counts, f"{counts} {remains} {description}")
        self.table.add(row)
        return counts
