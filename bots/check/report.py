"""The report of a check: its steps, and the formats that the bot may play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from bots.package.package import Package
from engine import Format

Status = Literal["waiting", "running", "ok", "failed", "skipped"]
"""`skipped`: not tried, because an earlier step failed."""


@dataclass(slots=True)
class CheckStep:
    """One step of a check, as the page and the command line show it."""

    name: str
    """`package`, `start`, a format's spelling, or `limits`."""
    title: str
    status: Status = "waiting"
    seconds: float = 0.0
    text: str = ""
    """One line: the outcome."""
    detail: str = ""
    """Several lines; of a failed step they include commands that reproduce the problem at home."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"seconds": round(self.seconds, 3)}


@dataclass(slots=True)
class CheckReport:
    steps: list[CheckStep] = field(default_factory=list)
    summary: str = ""
    """The first problem in two sentences, or the measurements."""
    log: str = ""
    """The bot's stderr, by match."""
    package: Package | None = None
    """The package, if it could be read."""
    formats: tuple[str, ...] = ()
    """Patterns of the formats that the bot may play; empty if it may play none."""

    @property
    def ok(self) -> bool:
        """Whether the bot may play."""
        return bool(self.formats)

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "summary": self.summary,
            "digest": self.package.digest if self.package else None,
            "formats": list(self.package.manifest.formats) if self.package else [],
            "plays": list(self.formats),
            "steps": [step.as_json() for step in self.steps],
            "log": self.log,
        }


def sample(formats: Sequence[Format], max_count: int) -> list[Format]:
    """At most `max_count` of the formats, in their order.

    Every variant and every table form of each game appears at least once, even if that exceeds
    `max_count`; other formats fill the remaining room, in order.
    """
    if len(formats) <= max_count:
        return list(formats)
    chosen: set[Format] = set()
    pairs: set[tuple[str, str]] = set()
    for fmt in formats:
        new_pairs = {(fmt.game, fmt.variant), (fmt.game, fmt.table)} - pairs
        if new_pairs:
            chosen.add(fmt)
            pairs |= new_pairs
    for fmt in formats:
        if len(chosen) >= max_count:
            break
        chosen.add(fmt)
    return [fmt for fmt in formats if fmt in chosen]
