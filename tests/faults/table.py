"""The table of fault scenarios and their outcomes: a row for each scenario."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from tests.sites import ROOT

PAGE: Final = ROOT / "docs" / "08-faults.md"
BEGIN: Final = "<!-- the table begins: `make faults` writes it -->"
END: Final = "<!-- the table ends -->"
COLUMNS: Final = (
    "scenario",
    "database",
    "matches",
    "faults",
    "more_attempts",
    "longest_wait",
    "at",
)
"""The table omits the counts that must be 0: `check_is_clean` refuses all others."""


@dataclass(frozen=True)
class FaultRow:
    """The outcome of one scenario. The counts from `lost` to `left_over` must be 0."""

    scenario: str
    database: str
    matches: int
    faults: str
    lost: int
    doubled: int
    stuck: int
    wrong: int
    blamed: int
    """Faults of bots, which a machine must have caused, because these bots have no faults."""
    left_over: int
    more_attempts: int
    longest_wait: int
    """The longest time without a result, in seconds."""
    at: str
    """Date and commit."""

    @classmethod
    def from_counts(
        cls,
        scenario: str,
        database: str,
        faults: Mapping[str, int],
        counts: Mapping[str, Any],
        left_over: int,
    ) -> Self:
        """The row for counts of `control.py count`."""
        return cls(
            scenario=scenario,
            database=database,
            matches=counts["matches"],
            faults=", ".join(f"{name} ×{times}" for name, times in faults.items()),
            lost=counts["lost"],
            doubled=counts["doubled"],
            stuck=counts["stuck"],
            wrong=counts["wrong"],
            blamed=counts["blamed"],
            left_over=left_over,
            more_attempts=counts["attempts"] - counts["stored"],
            longest_wait=round(counts["longest_wait"]),
            at=f"{datetime.now(UTC):%Y-%m-%d} {_commit()}",
        )

    def text(self) -> str:
        """The row as a line of the table."""
        return f"| {' | '.join(str(getattr(self, name)) for name in COLUMNS)} |"

    def check_is_clean(self, counts: Mapping[str, Any], details: str) -> None:
        """Fail if something was lost, doubled, stuck, wrong, blamed or left over."""
        problems = {
            name: getattr(self, name)
            for name in ("lost", "doubled", "stuck", "wrong", "blamed", "left_over")
            if getattr(self, name)
        }
        assert not problems, f"{self.scenario}: {problems} {details}"
        assert counts["running"] == 0, details
        assert counts["states"] == ["finished"], details
        assert counts["rebuild_matches"], details


@dataclass
class FaultTable:
    """The rows of this session."""

    rows: list[FaultRow] = field(default_factory=list)

    def add(self, row: FaultRow) -> None:
        self.rows.append(row)

    def text(self) -> str:
        """The rows below the heading."""
        return "\n".join([*_head(), *(row.text() for row in self.rows)])

    def write(self, page: Path = PAGE) -> None:
        """Put the rows into the page, where they replace older rows of the same scenario."""
        before, rest = page.read_text().split(BEGIN)
        old, after = rest.split(END)
        lines = {_key(line): line for line in old.splitlines()[3:] if line.startswith("|")}
        lines |= {_key(row.text()): row.text() for row in self.rows}
        body = "\n".join([*_head(), *lines.values()])
        page.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}")


def _head() -> list[str]:
    names = [name.replace("_", " ") for name in COLUMNS]
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _key(line: str) -> str:
    """Scenario and database of a line."""
    return "|".join(re.split(r"\s*\|\s*", line)[1:3])


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return process.stdout.strip() or "?"
