"""What is told of a bot to those who watch it: by whom it wins, how it plays, its best matches.

Read from totals that are kept (`tournaments.projections.tallies`), so it costs as much after a
million matches as after ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from django.db.models import Case, Q, When

from bots.models import Bot
from engine.figures import Figure
from tournaments.models import BotTotal
from tournaments.projections.tallies import MOST
from tournaments.standings.figures import figures

MOST_ROWS: Final = 2_000
"""Rows that are read: opponents beyond these are met hardly ever."""

Kind = BotTotal.Kind
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Tally:
    """Won, drawn and lost."""

    matches: int = 0
    won: int = 0
    drawn: int = 0

    @property
    def lost(self) -> int:
        """The rest."""
        return self.matches - self.won - self.drawn

    @property
    def share(self) -> float:
        """Of the points, 0 to 1; a drawn match is half a point."""
        return (self.won + self.drawn / 2) / self.matches if self.matches else 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.matches + other.matches, self.won + other.won, self.drawn + other.drawn)


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure of a bot, and of all bots."""

    figure: Figure
    value: float
    field: float | None
    """The mean of all; None if nothing of others was counted."""
    count: int
    """Matches, deals or moves behind `value`."""


class Met(NamedTuple):
    """A bot that another one has met."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Told:
    """What has been counted of a bot in a game."""

    whole: Tally = field(default_factory=Tally)
    forms: list[tuple[str, Tally]] = field(default_factory=list)
    """By pool, the most played first."""
    versus: list[tuple[Met, Tally]] = field(default_factory=list)
    partners: list[tuple[Met, Tally]] = field(default_factory=list)
    """By the other bot, the most met first."""
    sides: list[tuple[int, Tally]] = field(default_factory=list)
    seats: list[tuple[int, Tally]] = field(default_factory=list)
    """By number."""
    figures: list[Shown] = field(default_factory=list)
    matches: dict[str, tuple[int, float]] = field(default_factory=dict)
    """To see: kind → the match, and how much of it."""


def told_of(bot: Bot, game: str) -> Told:
    """What has been counted of a bot in a game, in all forms of it."""
    every = Q(bot=None, kind=Kind.FIGURE)
    rows = BotTotal.objects.filter(Q(bot=bot) | every, pool__startswith=f"{game}/")
    # Opponents last, so that of many the least met are left out, and nothing else.
    last = Case(When(kind=Kind.VERSUS, then=1), default=0)
    found = rows.order_by(last, "-count").values_list(
        "bot",
        "kind",
        "pool",
        "key",
        "name",
        "other__slug",
        "other__name",
        "count",
        "total",
        "drawn",
    )
    totals = [_Row(*row) for row in found[:MOST_ROWS]]
    own = [row for row in totals if row.bot is not None]
    return Told(
        whole=sum((row.tally for row in own if row.kind == Kind.FORM), Tally()),
        forms=_by_matches((row.pool, row.tally) for row in own if row.kind == Kind.FORM),
        versus=_by_matches(_met(own, Kind.VERSUS)),
        partners=_by_matches(_met(own, Kind.PARTNER)),
        sides=_by_number(own, Kind.SIDE),
        seats=_by_number(own, Kind.SEAT),
        figures=_figures(totals, game),
        matches={kind: (row.key, row.total) for kind in MOST for row in own if row.kind == kind},
    )


class _Row(NamedTuple):
    """A row of the totals."""

    bot: int | None
    kind: str
    pool: str
    key: int
    name: str
    other: str | None
    """Slug."""
    other_name: str | None
    of: int
    """How many matches, deals, moves."""
    total: float
    drawn: int

    @property
    def tally(self) -> Tally:
        return Tally(self.of, round(self.total - self.drawn / 2), self.drawn)


def _met(rows: Iterable[_Row], kind: str) -> Iterator[tuple[Met, Tally]]:
    for row in rows:
        if row.kind == kind and row.other is not None and row.other_name is not None:
            yield Met(row.other, row.other_name), row.tally


def _by_matches(rows: Iterable[tuple[K, Tally]]) -> list[tuple[K, Tally]]:
    return sorted(_summed(rows).items(), key=lambda each: -each[1].matches)


def _by_number(rows: Iterable[_Row], kind: str) -> list[tuple[int, Tally]]:
    return sorted(_summed((row.key, row.tally) for row in rows if row.kind == kind).items())


def _summed(rows: Iterable[tuple[K, Tally]]) -> dict[K, Tally]:
    sums: dict[K, Tally] = {}
    for key, tally in rows:
        sums[key] = sums.get(key, Tally()) + tally
    return sums


def _figures(rows: Sequence[_Row], game: str) -> list[Shown]:
    """Compared over the forms that the bot has played."""
    counted = [row for row in rows if row.kind == Kind.FIGURE]
    played = {row.pool for row in counted if row.bot is not None}
    own: dict[str, list[float]] = {}
    every: dict[str, list[float]] = {}
    for row in counted:
        if row.pool in played:
            sums = (every if row.bot is None else own).setdefault(row.name, [0.0, 0.0])
            sums[0] += row.total
            sums[1] += row.of
    return [
        Shown(figure, mean, _mean(every.get(figure.name)), int(own[figure.name][1]))
        for figure in figures(game)
        if (mean := _mean(own.get(figure.name))) is not None
    ]


def _mean(sums: Sequence[float] | None) -> float | None:
    return sums[0] / sums[1] if sums and sums[1] else None
