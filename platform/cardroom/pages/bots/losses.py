"""Where a bot loses points, as its page tells it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bots.models import Bot
from tournaments.reading.losses import LATEST, Lost, losses_of

ROWS: Final = 6
"""Lines under a heading, those with most decisions."""
_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A line: what it is about, points lost with a hundred decisions, accuracy where known."""

    name: str
    points: str
    bar: int
    """Of 100."""
    decisions: int
    accuracy: str


@dataclass(frozen=True, slots=True)
class Part:
    """Lines under one heading."""

    title: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Panel:
    """All of it; without parts where no match was analysed."""

    matches: int
    accuracy: str
    parts: list[Part]
    latest: int = LATEST


def panel_of(bot: Bot, game: str) -> Panel:
    """What the analyses of its last matches in a game say of a bot."""
    if not game:
        return Panel(0, "", [])
    found = losses_of(bot, game)
    if not found.whole.decisions:
        return Panel(0, "", [])
    most = max(
        (each.mean for table in (found.phases, found.acts) for each in table.values()), default=0.0
    )
    phases = [(f"{name.capitalize()} in a deal", lost) for name, lost in found.phases.items()]
    versions = sorted(found.versions.items(), reverse=True)
    parts = [
        Part("When", _rows(phases, most)),
        Part("When it", _rows(_largest(found.acts.items()), most)),
        Part("Against", _rows(_largest(found.against.items()), most)),
        Part("Version", _rows([(f"v{number}", lost) for number, lost in versions], most)),
    ]
    return Panel(found.whole.matches, _percent(found.whole), parts)


def _largest(found: Iterable[tuple[str, Lost]]) -> list[tuple[str, Lost]]:
    return sorted(found, key=lambda pair: (-pair[1].decisions, pair[0]))


def _rows(found: Iterable[tuple[str, Lost]], most: float) -> list[Row]:
    return [
        Row(
            name or "something else",
            f"{100 * lost.mean:.1f}".replace("-", "−"),
            round(_WIDTH * max(0.0, min(1.0, lost.mean / most))) if most > 0 else 0,
            lost.decisions,
            _percent(lost),
        )
        for name, lost in list(found)[:ROWS]
        if lost.decisions
    ]


def _percent(lost: Lost) -> str:
    accuracy = lost.accuracy
    return "" if accuracy is None else f"{accuracy:.0f}"
