"""The table of what was done to sites and what came of it: a row a scenario."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from tests.sites import ROOT

PAGE: Final = ROOT / "docs" / "08-faults.md"
BEGIN: Final = "<!-- the table begins: `make faults` writes it -->"
END: Final = "<!-- the table ends -->"


@dataclass(frozen=True)
class Row:
    """What came of one scenario; all but the counts of matches, faults and attempts must be 0."""

    scenario: str
    database: str
    matches: int
    faults: str
    lost: int
    doubled: int
    stuck: int
    wrong: int
    blamed: int
    """Faults of the bots, which have none: what a machine did was taken for theirs."""
    left_over: int
    more_attempts: int
    longest_wait: int
    """Seconds without a result, at most."""
    at: str
    """When, and from which commit."""

    @classmethod
    def from_counts(
        cls,
        scenario: str,
        database: str,
        faults: Mapping[str, int],
        found: Mapping[str, Any],
        left_over: int,
    ) -> Self:
        """The row for what `control.py count` found."""
        return cls(
            scenario=scenario,
            database=database,
            matches=found["matches"],
            faults=", ".join(f"{times} {name}" for name, times in faults.items()),
            lost=found["lost"],
            doubled=found["doubled"],
            stuck=found["stuck"],
            wrong=found["wrong"],
            blamed=found["blamed"],
            left_over=left_over,
            more_attempts=found["attempts"] - found["stored"],
            longest_wait=round(found["longest_wait"]),
            at=f"{datetime.now(UTC):%Y-%m-%d} {_commit()}",
        )

    def text(self) -> str:
        """As a line of the table."""
        return f"| {' | '.join(map(str, astuple(self)))} |"

    def must_be_clean(self, found: Mapping[str, Any], said: str) -> None:
        """AssertionError unless nothing was lost, doubled, stuck, wrong, blamed or left over."""
        bad = {
            name: getattr(self, name)
            for name in ("lost", "doubled", "stuck", "wrong", "blamed", "left_over")
            if getattr(self, name)
        }
        assert not bad, f"{self.scenario}: {bad} {said}"
        assert found["running"] == 0, said
        assert found["states"] == ["finished"], said
        assert found["rebuilt_the_same"], said


@dataclass
class Table:
    """The rows of this session."""

    rows: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """One scenario has ended."""
        self.rows.append(row)

    def text(self) -> str:
        """The rows with their head."""
        return "\n".join([*_head(), *(row.text() for row in self.rows)])

    def write(self, page: Path = PAGE) -> None:
        """Put the rows into the page, in the place of those of the same scenario."""
        before, rest = page.read_text().split(BEGIN)
        old, after = rest.split(END)
        lines = {_key(line): line for line in old.splitlines()[3:] if line.startswith("|")}
        lines |= {_key(row.text()): row.text() for row in self.rows}
        body = "\n".join([*_head(), *lines.values()])
        page.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}")


def _head() -> list[str]:
    names = [field.name.replace("_", " ") for field in fields(Row)]
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _key(line: str) -> str:
    """Scenario and database of a line."""
    return "|".join(re.split(r"\s*\|\s*", line)[1:3])


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "?"
