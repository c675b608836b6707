"""A site that faults are let loose on: what its database says, waiting for it, and the verdict."""

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
from tests.faults.table import Row, Table
from tests.sites import ROOT, eventually, running_descendants

FULL: Final = os.environ.get("CARDROOM_FULL") == "1"
SINGLY: Final = FULL or os.environ.get("CARDROOM_FAULTS_SINGLY") == "1"
"""Whether every fault has a site of its own; else those that can share one do, to save time."""
PATIENCE: Final = int(os.environ.get("CARDROOM_FAULT_PATIENCE", 1200 if FULL else 240))
"""Seconds until a state must be reached: far more than any machine needs."""
AWAY: Final = psycopg.Error, sqlite3.Error
"""What a database that is away raises."""

_SERVERS: Final = re.compile(r"^postgres:|/postgres -|(redis|valkey)-server.*127\.0\.0\.1:")

Kind = TypeVar("Kind")
Site = TypeVar("Site", bound="Ground")


@dataclass(frozen=True)
class Fault(Generic[Site]):
    """Something that happens to a site."""

    do: Callable[[Site], None]
    seldom: bool = False
    """Whether it is left out where time is short: another one is much like it."""
    needs: str = ""
    """The attribute of the site that it cannot do without; a site without it has None there."""


Faults = Mapping[str, Fault[Site]]


def alone_or_together(faults: Faults[Site]) -> list[Any]:
    """The parameters of a test: each fault by itself, or all in a row on one site."""
    if not SINGLY:
        often = {name: fault for name, fault in faults.items() if not fault.seldom}
        return [pytest.param(often, id="together")]
    return [
        pytest.param({name: fault}, id=name.replace(" ", "-")) for name, fault in faults.items()
    ]


def possible(site: Ground, faults: Faults[Site]) -> Faults[Site]:
    """Those that can be made here; the test is skipped when there are none."""
    found = {
        name: fault
        for name, fault in faults.items()
        if not fault.needs or getattr(site, fault.needs)
    }
    if not found:
        pytest.skip(f"This machine cannot make it happen that {', '.join(faults)}.")
    return found


class Control:
    """A process inside a site's database that does what `control.py` can; `with` ends it."""

    def __init__(self, environment: Mapping[str, str], within: Path) -> None:
        self._log = within / f"control-{len(list(within.glob('control-*')))}"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(ROOT / "tests" / "faults" / "control.py")],
                env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=within,
                preexec_fn=die_with_parent,
            )

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def __call__(self, command: str, *arguments: Any) -> Any:
        """Do something; what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # its log says why
            print(json.dumps([command, *arguments]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, f"{command}: {self._log.read_text()[-3000:]}"
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def strays(before: Iterable[int] = ()) -> list[str]:
    """Command lines of processes of a site that do not end; its servers are not the site's."""
    running: list[str] = []

    def all_ended() -> bool:
        commands = running_descendants(before).values()
        running[:] = [command for command in commands if not _SERVERS.search(command)]
        return not running

    eventually(all_ended)
    return running


@dataclass
class Ground(ABC):
    """A site of whatever kind."""

    folder: Path
    table: Table
    control: Control
    """What works inside its database; it was there before the site."""
    faults: Counter[str] = field(default_factory=Counter, kw_only=True)
    """What was done to it, how often."""
    rng: random.Random = field(
        default_factory=lambda: random.Random(os.environ.get("CARDROOM_FAULT_SEED", "1")),
        kw_only=True,
    )
    before: dict[int, str] = field(default_factory=running_descendants, kw_only=True)
    """Processes that were there before it."""

    # --- what kinds of sites differ in ----------------------------------------------------------

    @property
    @abstractmethod
    def kind(self) -> str:
        """Its database, and how it is set up."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the database itself. Raises one of AWAY."""

    @abstractmethod
    def output(self) -> str:
        """The ends of its logs."""

    @abstractmethod
    def stop(self) -> list[str]:
        """End all of it in good order; what is left over besides processes."""

    # --- what its database says -----------------------------------------------------------------

    def play(self, groups: int, think_ms: int = 0) -> None:
        """Start a tournament of three bots: six matches for each of `groups`."""
        self.control("cup", groups, think_ms)

    def supply(self, groups: int, think_ms: int = 0) -> None:
        """Start a tournament unless as many matches wait as `groups` have: a fault meets work."""
        [states] = self.wait(lambda: [self.states()], "The database is away.")
        if states["waiting"] < 6 * groups:
            self.play(groups, think_ms)

    def states(self) -> Counter[str]:
        """How many matches are waiting, playing, finished, stuck; without those dealt anew."""
        query = """SELECT m.state, count(*) FROM tournaments_match AS m
                   JOIN tournaments_dealgroup AS deals ON deals.id = m.deal_group_id
                   WHERE deals.retired IS NULL GROUP BY m.state"""
        return Counter(dict(self.rows(query)))

    def attempts(self, worker: str, outcome: str) -> list[int]:
        """The attempts of a worker, as far as its name is given, that have come to this."""
        query = f"""SELECT id FROM tournaments_attempt WHERE outcome = '{outcome}'
                    AND worker LIKE '{worker}/%' ORDER BY id"""
        return [key for (key,) in self.rows(query)]

    def over(self) -> bool:
        """Whether every tournament has finished; also when all that is left is stuck."""
        states = self.states()
        if states["stuck"] and not states["waiting"] + states["playing"]:
            return True
        left = "SELECT count(*) FROM tournaments_tournament WHERE state <> 'finished'"
        return bool(states and self.rows(left) == [(0,)])

    # --- waiting --------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], Kind], problem: str) -> Kind:
        """The first true value of a condition; the test fails with all logs if there is none."""

        def value() -> Kind | None:
            try:
                return condition()
            except AWAY:
                return None

        found = eventually(value, PATIENCE)
        if not found:
            pytest.fail(f"{problem} {self.described()}")
        return found  # type: ignore[no-any-return]

    def more(self, results: int) -> None:
        """Wait until so many matches more have a result, or all that can have one."""
        wanted = self.wait(self.states, "The database is away.")["finished"] + results
        self.wait(
            lambda: self.states()["finished"] >= wanted or self.over(),
            f"There are no {wanted} results.",
        )

    def pause(self, most: float = 6.0) -> None:
        """Let a fault last for a while, at most so many seconds."""
        time.sleep(self.rng.uniform(most / 3, most) / (1 if FULL else 3))

    def described(self) -> str:
        """What became of it, for who has to find out why."""
        try:
            states = str(dict(self.states()))
        except AWAY as error:
            states = f"The database is away: {error}"
        return f"{states}, {dict(self.faults)} {self.output()}"

    # --- the verdict ----------------------------------------------------------------------------

    def judge(self, scenario: str) -> dict[str, Any]:
        """Wait for the end, stop everything, count: all must be as if nothing had happened."""
        until = time.monotonic() + PATIENCE
        over = False
        while not over and time.monotonic() < until:
            with suppress(*AWAY):
                over = self.over()
            time.sleep(0.2)
        said = self.described()
        left = self.stop()
        left += strays(self.before)
        found: dict[str, Any] = self.control("count")
        row = Row.from_counts(scenario, self.kind, self.faults, found, len(left))
        self.table.add(row)
        print(f"\n{row.text()}\n{json.dumps(found)}")
        row.must_be_clean(found, f"{found} {left} {said}")
        return found
