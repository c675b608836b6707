"""A bot's results, figures, notable matches, ratings and lost points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bots.models import Bot
from cardroom.display.format_names import format_words
from cardroom.display.numbers import count_of
from cardroom.pages.common.queries import ListedMatch, ListedRating
from engine import registry
from engine.search.findings import PHASES
from tournaments.models import BotTotal
from tournaments.projections import OVERALL
from tournaments.reading.bot_results import BotFigure, Results, Tally
from tournaments.reading.losses import Lost, losses_of

MAX_OPPONENTS: Final = 8
MAX_PARTNERS: Final = 5
MAX_LOSSES: Final = 6
"""The maximum number of rows in each part of the table of losses."""
MAX_MAIN_RATINGS: Final = 2
"""The maximum number of ratings at the top of the page."""
_NEEDS_TWO: Final = {"Side", "Seat", "Table form"}
"""Parts that need two rows, because a single row would repeat the total."""


@dataclass(frozen=True, slots=True)
class ResultsPart:
    """The rows under a heading: names and tallies."""

    title: str
    rows: list[tuple[str, Tally]]
    left_out: int = 0
    """The number of opponents that have no row."""


def parts_of(results: Results) -> list[ResultsPart]:
    """The results by opponent, partner, side, seat and table form."""
    # With two sides, side 0 leads in the first deal, which side 1 deals.
    leads = ("Leads first", "Deals first") if len(results.sides) == 2 else ()
    sides = [leads[i] if leads else f"Side {i + 1}" for i in range(len(results.sides))]
    against, partners = results.against[:MAX_OPPONENTS], results.partners[:MAX_PARTNERS]
    parts = [
        ResultsPart(
            "Against", [(row.name, row) for row in against], max(0, results.met - MAX_OPPONENTS)
        ),
        ResultsPart("As partners with", [(row.name, row) for row in partners]),
        ResultsPart("Side", list(zip(sides, results.sides, strict=True))),
        ResultsPart("Seat", [(f"Seat {int(row.of) + 1}", row) for row in results.seats]),
        ResultsPart("Table form", [(str(format_words(row.of)), row) for row in results.forms]),
    ]
    return [part for part in parts if len(part.rows) > (part.title in _NEEDS_TWO)]


def figure_rows(results: Results) -> list[tuple[BotFigure, float, str, str]]:
    """For each figure: its position from 0 to 100 (50: the mean of all bots), value and mean as
    text."""
    return [
        (
            figure,
            _place(figure),
            figure_text(figure.value, figure.unit),
            "–" if figure.mean is None else figure_text(figure.mean, figure.unit),
        )
        for figure in results.figures
    ]


def _place(figure: BotFigure) -> float:
    """The figure's position on a scale from 0 to 100, with the mean of all bots at 50."""
    if not figure.mean:
        return 50.0
    return round(50 + 45 * max(-1.0, min(1.0, (figure.value - figure.mean) / figure.mean)), 1)


def figure_text(value: float, unit: str) -> str:
    """A figure with its unit as text."""
    if unit == "share":
        return f"{100 * value:.0f} %"
    if unit == "move":
        return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


# --- notable matches ----------------------------------------------------------------------------

_TITLES: Final[Mapping[str, str]] = {
    BotTotal.Kind.BEST: "Highest live Elo",
    BotTotal.Kind.WORST: "Lowest live Elo",
    BotTotal.Kind.COMEBACK: "Comeback",
    BotTotal.Kind.LONGEST: "Most deals",
}


@dataclass(frozen=True, slots=True)
class NotableMatchRow:
    """A notable match."""

    title: str
    line: ListedMatch
    sentence: str


def notable_matches(
    bot: Bot, marks: Iterable[tuple[str, int, float]], lines: Mapping[int, ListedMatch]
) -> list[NotableMatchRow]:
    """Notable matches as text, each once. `marks`: kind, match and amount, such as points."""
    notable: dict[int, NotableMatchRow] = {}
    for kind, match, amount in marks:
        line = lines.get(match)
        if line is not None and line.match.revealed and match not in notable:
            notable[match] = NotableMatchRow(
                _TITLES[kind], line, _sentence(bot, kind, amount, line)
            )
    return list(notable.values())


def _sentence(bot: Bot, kind: str, amount: float, line: ListedMatch) -> str:
    own_side = next(
        side for side in line.sides if any(player.slug == bot.slug for player in side.players)
    )
    others = [side for side in line.sides if side is not own_side]
    names = " and ".join(side.name for side in others)
    winners = [side for side in line.sides if side.won]
    verb = "lost to" if not own_side.won else "beat" if len(winners) == 1 else "drew with"
    scores = " – ".join(str(side.score).replace("-", "−") for side in (own_side, *others))
    suffixes = {
        BotTotal.Kind.COMEBACK: f" from {amount:.0f} behind",
        BotTotal.Kind.LONGEST: f" after {count_of(int(amount), 'deal')}",
    }
    return f"{verb} {names} {scores}{suffixes.get(BotTotal.Kind(kind), '')}"


# --- lost points --------------------------------------------------------------------------------


def losses_panel(bot: Bot, game: str) -> dict[str, Any]:
    """The points that a bot lost in its last analysed matches of a game, compared with the
    expert's moves; empty without analyses."""
    losses = losses_of(bot, game) if game else None
    if losses is None or not losses.whole.decisions:
        return {}
    max_points = max((row.points for row in (*losses.phases, *losses.acts)), default=0.0)
    phases = sorted(losses.phases, key=lambda row: PHASES.index(row.of))
    versions = sorted(losses.versions, key=lambda row: -int(row.of))
    parts = [
        ("When", [(f"{row.of.capitalize()} in a deal", row) for row in phases]),
        ("When it", [(row.of or "something else", row) for row in losses.acts]),
        ("Against", [(row.of, row) for row in losses.against]),
        ("Version", [(f"v{row.of}", row) for row in versions]),
    ]
    return {
        "matches": losses.matches,
        "whole": losses.whole,
        "parts": [(title, _loss_rows(rows, max_points)) for title, rows in parts],
    }


def _loss_rows(
    rows: Sequence[tuple[str, Lost]], max_points: float
) -> list[tuple[str, Lost, str, int]]:
    """For each row: name, row, points lost in a hundred decisions as text, and length of the bar in
    percent."""
    return [
        (name, row, f"{100 * row.points:.1f}".replace("-", "−"), _bar(row.points, max_points))
        for name, row in rows[:MAX_LOSSES]
        if row.decisions
    ]


def _bar(points: float, max_points: float) -> int:
    return round(100 * max(0.0, min(1.0, points / max_points))) if max_points > 0 else 0


# --- ratings -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PoolRating:
    """A rating with its pool as text."""

    line: ListedRating
    words: str


def main_ratings(rows: Sequence[ListedRating]) -> list[PoolRating]:
    """The ratings in the table forms that a bot has played most."""
    forms = [row for row in rows if "/" in row.rating.pool]
    most_played = sorted(forms, key=lambda row: -row.rating.matches)[:MAX_MAIN_RATINGS]
    return [PoolRating(row, pool_words(row.rating.pool)) for row in most_played]


def pool_ratings(rows: Iterable[ListedRating]) -> list[PoolRating]:
    """All ratings with their pools as text, table forms first."""
    ordered = sorted(rows, key=lambda row: _order(row.rating.pool))
    return [PoolRating(row, pool_words(row.rating.pool)) for row in ordered]


def _order(pool: str) -> tuple[bool, bool, str]:
    return pool == OVERALL, "/" not in pool, pool


def pool_words(name: str) -> str:
    """A pool as text."""
    if name == OVERALL:
        return "All games"
    if "/" in name:
        return str(format_words(name))
    try:
        return registry.game(name).title
    except ValueError:  # a game that this site no longer offers
        return name


@dataclass(frozen=True, slots=True)
class PoolChoice:
    """A pool whose history can be chosen."""

    name: str
    words: str


def pool_choices(names: Iterable[str]) -> list[PoolChoice]:
    """The choices for these pools, table forms first."""
    return [PoolChoice(name, pool_words(name)) for name in sorted(names, key=_order)]


def game_of(pool: str, rows: Sequence[ListedRating]) -> str:
    """The pool's game; for the pool of all games, the game of the table form that the bot has
    played most. Empty without such a form."""
    if pool and pool != OVERALL:
        return pool.partition("/")[0]
    ratings = main_ratings(rows)
    return ratings[0].line.rating.pool.partition("/")[0] if ratings else ""
