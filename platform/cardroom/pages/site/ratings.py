"""Pages of ratings: the table, the comparison of two bots, and how to read ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Final

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from bots.models import Bot
from cardroom.display import plots
from cardroom.display.format_names import format_words
from cardroom.display.numbers import count_of
from cardroom.pages.bots.statistics import pool_words
from cardroom.pages.common import filter_chips, queries
from cardroom.pages.common.filter_chips import Chip
from cardroom.pages.common.queries import RatingEstimate
from cardroom.pages.games.game_views import markdown_html
from engine import registry
from engine.declarations import join_words
from tournaments.models import PoolFit, Rating, TeamRating
from tournaments.projections import OVERALL
from tournaments.ratings.elo import expected
from tournaments.reading.head_to_head import HeadToHead, compare
from tournaments.reading.head_to_head import head_to_head as meetings
from tournaments.reading.rating_table import (
    PAGE,
    RatedVersion,
    RatingPage,
    Selection,
    rating_table,
)
from tournaments.reading.ratings import BestBot, best_bots, leading_teams, played_pools
from tournaments.standings.noise import noise_by_pool
from tournaments.visibility import viewer_of

MAX_TEAMS: Final = 50
"""The maximum number of teams in their table; the best ones are shown."""
MAX_NAMED: Final = 3
"""The maximum number of bots that the sentence above the table names as possibly the best."""
FILTERS: Final = ("pool", "versions", "kind", "fewer")
"""The filters' keys in the address. `pool` has the name of a pool as its value; the others have
`all`, `strangers` and `yes`."""
CHAPTER: Final = "16-ratings.md"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table."""

    row: RatedVersion
    estimate: RatingEstimate
    bar: plots.Bar
    mine: bool
    """Whether the viewer owns the bot."""


def index(request: HttpRequest) -> HttpResponse:
    """Show the rating table of a pool: places, ratings, intervals, changes, leads, comparisons."""
    pools = played_pools()
    name = request.GET.get("pool", "")
    pool = name if name in pools else next((pool for pool in pools if "/" in pool), OVERALL)
    filters = {key: value for key in FILTERS if (value := request.GET.get(key))} | {"pool": pool}
    table = rating_table(_selection(filters, request))
    rows, axis = _table_rows(table, request.user.pk)
    games = [game.name for game in registry.games()]
    best = best_bots([name for name in (OVERALL, *games) if name in pools])
    fit = PoolFit.objects.filter(pool=pool).defer("covariance").first()
    return render(
        request,
        "ratings/index.html",
        {
            "pool": pool,
            "title": pool_words(pool),
            "game": pool.partition("/")[0],
            "unknown": name if name != pool else "",
            "best": [(bot, pool_words(bot.pool), _equally_good(bot, table)) for bot in best],
            "chips": _chips(pools, filters, table),
            "table": table,
            "has_history": _kind(filters) == Rating.Kind.ALL,
            "bots": count_of(table.count, "version" if filters.get("versions") == "all" else "bot"),
            "columns": [(column, abbreviated(column.name)) for column in table.of_columns],
            "parts": [list(part) for _, part in groupby(rows, key=lambda row: row.row.part)],
            "axis": axis,
            "verdict": _verdict(table),
            "page": Paginator(range(table.count), PAGE).get_page(table.page),
            "updated": max((row.updated for row in table.rows), default=None),
            "hundred": round(100 * expected(100.0, 0.0)),
            "teams": _teams(pool, fit),
            "noise": noise_by_pool().get(pool),
            "fit": fit,
        },
    )


def _selection(filters: Mapping[str, str], request: HttpRequest) -> Selection:
    page = request.GET.get("page", "")
    return Selection(
        pool=filters["pool"],
        kind=_kind(filters),
        all_versions=filters.get("versions") == "all",
        fewer=filters.get("fewer") == "yes",
        page=int(page) if page.isdecimal() and len(page) < 7 else 1,
        viewer=request.user.pk,
    )


def _kind(filters: Mapping[str, str]) -> Rating.Kind:
    strangers = filters.get("kind") == Rating.Kind.STRANGERS
    return Rating.Kind.STRANGERS if strangers else Rating.Kind.ALL


def _chips(pools: Sequence[str], filters: Mapping[str, str], table: RatingPage) -> list[Chip]:
    """Chips for the table forms of the game, the most played first, and for the other filters."""
    pool = filters["pool"]
    game = pool.partition("/")[0]
    forms = [name for name in pools if name.startswith(f"{game}/")]
    chips = [
        Chip(_form_words(name), filter_chips.query({**filters, "pool": name}), name == pool)
        for name in ([*forms, game] if len(forms) > 1 else [])
    ]
    choices = [("versions", "all", "All versions")]
    if table.fewer or filters.get("fewer"):
        choices.insert(0, ("fewer", "yes", "Fewer groups"))
    if _kind(filters) == Rating.Kind.STRANGERS or _has_strangers(pool):
        choices.append(("kind", Rating.Kind.STRANGERS.value, "With strangers"))
    toggles = filter_chips.toggles(filters, choices) if pools else []
    return chips + [
        replace(chip, count=table.fewer) if chip.words == "Fewer groups" and table.fewer else chip
        for chip in toggles
    ]


def _has_strangers(pool: str) -> bool:
    return Rating.objects.filter(pool=pool, kind=Rating.Kind.STRANGERS).exists()


def _form_words(pool: str) -> str:
    """A table form, with the variant unless it is the standard one: `For two`, `Royal Cassino in
    pairs`."""
    if "/" not in pool:
        return "All forms"
    form_words = format_words(pool)
    is_plain = form_words.game and form_words.title == registry.game(form_words.game).title
    return form_words.table[:1].upper() + form_words.table[1:] if is_plain else str(form_words)


def _table_rows(table: RatingPage, viewer: int | None) -> tuple[list[TableRow], plots.Bars]:
    """The rows of the table, and the axis of their bars."""
    ends = [end for row in table.rows for end in (row.rating, row.low, row.high) if end is not None]
    axis = plots.Bars.from_values(ends)
    rows = [
        TableRow(
            row=row,
            estimate=RatingEstimate(value=row.rating, low=row.low, high=row.high),
            bar=axis.bar(row.rating, row.low, row.high),
            mine=row.owner is not None and row.owner == viewer,
        )
        for row in table.rows
    ]
    return rows, axis


def _equally_good(best: BestBot, table: RatingPage) -> int:
    """The number of other bots that may be as good as the best bot. If the table shows the same
    pool, the number agrees with the table."""
    first = table.rows[0] if table.page == 1 and table.rows else None
    if best.pool == table.pool and first and first.worst and first.name == best.name:
        return first.worst - 1
    return best.shared


def _verdict(table: RatingPage) -> str:
    """A sentence about the bots in the first place; empty if the page shows none of them."""
    first = [row for row in table.rows if row.part == 0 and row.best == 1]
    if table.page > 1 or not first:
        return ""
    names = [row.name for row in first[:MAX_NAMED]]
    if len(first) > MAX_NAMED:
        return f"{names[0]} is first, but {len(first) - 1} others may be as good."
    if len(first) > 1:
        return f"{join_words(names)} may each be the best."
    lead = first[0].lead
    if lead is None:
        alone = sum(row.part == 0 for row in table.rows) == 1
        return f"Only {names[0]} is rated here." if alone else f"{names[0]} is first."
    return f"{names[0]} is the best, {count_of(round(lead.points), 'point')} ahead of the next."


def _teams(pool: str, fit: PoolFit | None) -> list[tuple[TeamRating, plots.Bar]]:
    """The best teams with bars on one axis."""
    rows = leading_teams(pool, fit, MAX_TEAMS)
    axis = plots.Bars.from_values([end for team in rows for end in (team.low, team.high)])
    return [(team, axis.bar(team.fitted, team.low, team.high)) for team in rows]


def abbreviated(name: str) -> str:
    """Two or three characters for the heading of a narrow column: `QL` for `Quiet Ledger`, `Na` for
    `Nagi`, `E5` for `house:expert-5`."""
    parts: list[str] = re.findall(r"\d+|[^\W\d_]+", name.removeprefix("house:")) or [name]
    if len(parts) == 1:
        return parts[0][:2]
    last = parts[-1][:3] if parts[-1].isdecimal() else parts[1][:1]
    return parts[0][:1].upper() + last


def how(request: HttpRequest) -> HttpResponse:
    """How to read ratings: a chapter of the documentation."""
    return render(request, "ratings/how.html", {"html": _chapter()})


@cache
def _chapter() -> SafeString:
    """The chapter as HTML, from the checkout or the wheel."""
    seeds = Path(str(files("seeds")))
    places = (seeds.parent / "docs" / CHAPTER, seeds / "clauses" / CHAPTER)
    path = next(path for path in places if path.is_file())
    return markdown_html(path.read_text(encoding="utf-8").partition("\n")[2])


def head_to_head(request: HttpRequest) -> HttpResponse:
    """The comparison of two bots by all their matches against each other."""
    slugs = [request.GET.get(key, "") for key in ("a", "b")]
    listed = Bot.objects.listed()
    by_slug = {bot.slug: bot for bot in listed.filter(slug__in=slugs)}
    a, b = map(by_slug.get, slugs)
    pool = request.GET.get("pool") or OVERALL
    result = meetings(a, b, pool) if a and b and a != b else None
    comparison = compare(a, b, pool) if result and a and b else None
    matches = []
    if result and a and b:
        common = queries.matches_of(a, viewer_of(request)).filter(seats__version__bot=b)
        matches = queries.list_matches(common.distinct()[:20])
    return render(
        request,
        "ratings/head_to_head.html",
        {
            "bots": listed.order_by("name").values_list("slug", "name"),
            "a": a,
            "b": b,
            "pool": pool,
            "result": result,
            "comparison": comparison,
            "certainty": _certainty(comparison),
            "lines": matches,
            "pools": queries.pools(),
        },
    )


def _certainty(comparison: HeadToHead | None) -> str:
    """The probability in percent that the higher-rated bot is better, never 100 %."""
    if comparison is None or comparison.probability is None:
        return ""
    share = 100 * max(comparison.probability, 1 - comparison.probability)
    return "over 99.9 %" if share > 99.9 else f"{share:.0f} %" if share < 99 else f"{share:.1f} %"
