"""Bot statistics: results by opponent, figures, notable matches.

They come from stored totals (`tournaments.projections.tallies`), so the time to read them does not
grow with the number of matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When

from bots.models import Bot
from cardroom_base.core.answers import UNSENT, description
from tournaments.models import BotTotal
from tournaments.projections.tallies import RECORD_KINDS
from tournaments.standings.figures import figures
from tournaments.visibility import NOBODY, readable_matches

MAX_ROWS: Final = 2_000
"""Maximum number of rows that are read; only opponents that the bot rarely met are left out."""

MAX_OPPONENTS: Final = 500
"""Maximum number of opponents in a list: those that the bot met most."""
Kind = BotTotal.Kind


@dataclass(frozen=True, slots=True)
class Tally:
    """Won, drawn and lost rated matches."""

    of: str = field(
        default="",
        metadata=description("A bot's slug, a pool, or the number of a side or seat; empty: all."),
    )
    matches: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    name: str = field(default="", metadata=UNSENT)
    """The name of the bot whose slug is `of`."""

    @property
    def share(self) -> float:
        """Share of the points, 0 to 1; a drawn match is half a point."""
        return (self.won + self.drawn / 2) / self.matches if self.matches else 0.0


@dataclass(frozen=True, slots=True)
class BotFigure:
    """A figure of a bot beside the mean of all bots."""

    name: str
    title: str
    unit: str = field(
        metadata=description(
            "Mean of a `match`, a `deal` or a `move` (ms), or a `share` of the deals."
        )
    )
    value: float
    mean: float | None = field(
        metadata=description("Mean of all bots in the formats that this bot has played.")
    )
    count: int = field(metadata=description("Matches, deals or moves behind `value`."))


@dataclass(frozen=True, slots=True)
class Results:
    """A bot's results in a game; a match is counted once its deal group is over."""

    bot: str
    game: str
    whole: Tally
    forms: list[Tally]
    against: list[Tally] = field(
        metadata=description(
            f"Results against the {MAX_OPPONENTS} opponents met most; with more than two sides, "
            "the two bots' sides are compared."
        )
    )
    partners: list[Tally]
    sides: list[Tally]
    seats: list[Tally]
    figures: list[BotFigure]
    highlights: dict[str, int] = field(
        metadata=description(
            "Notable matches by kind: best (won against the highest live Elo at the time), worst "
            "(lost to the lowest), comeback, longest."
        )
    )
    marks: list[tuple[str, int, float]] = field(metadata=UNSENT)
    """(kind, match, value) of each highlight."""
    met: int = field(metadata=UNSENT)
    """Number of opponents, including those that `against` leaves out."""


def results_of(bot: Bot, game: str) -> Results:
    """A bot's results in all formats of a game, the most played first."""
    all_bots = Q(bot=None, kind=Kind.FIGURE)
    rows = public_totals().filter(Q(bot=bot) | all_bots, pool__startswith=f"{game}/")
    # Opponents come last, so that the limit drops only the opponents met least.
    opponents_last = Case(When(kind=Kind.VERSUS, then=1), default=0)
    columns = ("bot", "kind", "pool", "key", "name", "other__slug", "other__name")
    ordered = rows.order_by(opponents_last, "-count")
    values = ordered.values_list(*columns, "count", "total", "drawn")
    totals = [_TotalsRow(*row) for row in values[:MAX_ROWS]]
    own_rows = [row for row in totals if row.bot is not None]
    form_rows = [row for row in own_rows if row.kind == Kind.FORM]
    against = _by_other_bot(own_rows, Kind.VERSUS)
    marks = [row for kind in RECORD_KINDS for row in own_rows if row.kind == kind]
    return Results(
        bot=bot.slug,
        game=game,
        whole=next(iter(tallies(("", "", *row.sums) for row in form_rows)), Tally()),
        forms=_by_matches((row.pool, "", *row.sums) for row in form_rows),
        against=against[:MAX_OPPONENTS],
        partners=_by_other_bot(own_rows, Kind.PARTNER)[:MAX_OPPONENTS],
        sides=_by_number(own_rows, Kind.SIDE),
        seats=_by_number(own_rows, Kind.SEAT),
        figures=_figures(totals, game),
        highlights={row.kind: row.key for row in marks},
        marks=[(row.kind, row.key, row.total) for row in marks],
        met=len(against),
    )


def public_totals() -> QuerySet[BotTotal]:
    """All totals, without notable matches of tournaments that moderators have hidden."""
    is_public = Exists(readable_matches(NOBODY).filter(pk=OuterRef("key")))
    return BotTotal.objects.filter(~Q(kind__in=RECORD_KINDS) | is_public)


class _TotalsRow(NamedTuple):
    """A row of the totals."""

    bot: int | None
    kind: str
    pool: str
    key: int
    name: str
    other: str | None
    """The other bot's slug."""
    other_name: str | None
    matches: int
    """Number of matches; for figures, of matches, deals or moves."""
    total: float
    drawn: int

    @property
    def sums(self) -> tuple[int, float, int]:
        """Matches, points, drawn matches."""
        return self.matches, self.total, self.drawn


def tallies(rows: Iterable[tuple[str, str, int, float, int]]) -> list[Tally]:
    """A tally for each subject, from rows (subject, its name, matches, points, drawn matches)."""
    totals: dict[tuple[str, str], tuple[int, float, int]] = {}
    for of, name, matches, points, drawn in rows:
        sums = totals.get((of, name), (0, 0.0, 0))
        totals[of, name] = sums[0] + matches, sums[1] + points, sums[2] + drawn
    return [
        Tally(of, matches, won := round(points - drawn / 2), drawn, matches - won - drawn, name)
        for (of, name), (matches, points, drawn) in totals.items()
    ]


def _by_other_bot(rows: Iterable[_TotalsRow], kind: str) -> list[Tally]:
    return _by_matches(
        (row.other, row.other_name, *row.sums)
        for row in rows
        if row.kind == kind and row.other is not None and row.other_name is not None
    )


def _by_matches(rows: Iterable[tuple[str, str, int, float, int]]) -> list[Tally]:
    return sorted(tallies(rows), key=lambda tally: -tally.matches)


def _by_number(rows: Iterable[_TotalsRow], kind: str) -> list[Tally]:
    rows_of_number = tallies((str(row.key), "", *row.sums) for row in rows if row.kind == kind)
    return sorted(rows_of_number, key=lambda tally: int(tally.of))


def _figures(rows: Sequence[_TotalsRow], game: str) -> list[BotFigure]:
    """The bot's figures, over the forms that it has played."""
    figure_rows = [row for row in rows if row.kind == Kind.FIGURE]
    played_pools = {row.pool for row in figure_rows if row.bot is not None}
    own_sums: dict[str, list[float]] = {}
    all_sums: dict[str, list[float]] = {}
    for row in figure_rows:
        if row.pool in played_pools:
            sums = (all_sums if row.bot is None else own_sums).setdefault(row.name, [0.0, 0.0])
            sums[0] += row.total
            sums[1] += row.matches
    return [
        BotFigure(
            name=figure.name,
            title=figure.title,
            unit=figure.unit,
            value=mean,
            mean=_mean(all_sums.get(figure.name)),
            count=int(own_sums[figure.name][1]),
        )
        for figure in figures(game)
        if (mean := _mean(own_sums.get(figure.name))) is not None
    ]


def _mean(sums: Sequence[float] | None) -> float | None:
    return sums[0] / sums[1] if sums and sums[1] else None
