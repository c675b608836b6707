"""Queries of pages: a list takes a constant number of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import Any, Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum

from bots.models import Bot, BotVersion
from cardroom.pages.common.plots import Bar, Bars, place_ranges
from cardroom.pages.common.rating_history import Interval, Point
from cardroom_base.db.db_time import Now
from engine import registry
from tournaments.models import (
    Attempt,
    Match,
    Rating,
    RatingChange,
    RatingPoint,
    Seat,
    Tournament,
    over,
)
from tournaments.projections import OVERALL
from tournaments.ratings import scale
from tournaments.ratings.elo import half_width, interval_text
from tournaments.reading.matches import MatchRow, match_rows
from tournaments.reading.names import Member
from tournaments.reading.queries import listed_matches, with_progress

# --- tournaments and bots -----------------------------------------------------------------------


def tournaments(user: Any) -> QuerySet[Tournament]:
    """The tournaments this reader may see, newest first, with their progress."""
    return with_progress(Tournament.objects.visible_to(user))


def bots() -> QuerySet[Bot]:
    """Bots with owner, active version, its overall rating, and the newest version's state."""
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number")
    overall = Rating.objects.filter(
        version=OuterRef("active_version"), pool=OVERALL, kind=Rating.Kind.ALL
    )
    return Bot.objects.select_related("owner", "active_version").annotate(
        newest_number=Subquery(newest.values("number")[:1]),
        newest_status=Subquery(newest.values("status")[:1]),
        rating=Subquery(overall.values("fitted")[:1]),
        live=Subquery(overall.values("live")[:1]),
    )


# --- matches ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SideRow:
    """The players of a match's side, and its result (None before the end)."""

    index: int
    players: list[Member]
    """The side's players, copies of a bot once."""
    team: str
    """The team's name, or empty."""
    score: int | None
    rank: int | None
    faulted: bool

    @property
    def name(self) -> str:
        """The names of its bots."""
        return " & ".join(player.name for player in self.players)

    @property
    def won(self) -> bool:
        """Whether the side has the best rank, alone or shared."""
        return self.rank == 1


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match with its sides."""

    match: MatchRow
    sides: list[SideRow]


def match_lines(matches: Any) -> list[MatchLine]:
    """The matches of a query or page, in its order, each with its sides."""
    return [MatchLine(row, _sides(row)) for row in match_rows(_keys(matches))]


def lines_of(keys: Sequence[int]) -> dict[int, MatchLine]:
    """Matches with their sides, by primary key."""
    return {row.pk: MatchLine(row, _sides(row)) for row in match_rows(keys)}


def with_sides(rows: Iterable[MatchRow]) -> list[MatchLine]:
    """Matches that have been read, each with its sides."""
    return [MatchLine(row, _sides(row)) for row in rows]


def _keys(matches: Any) -> list[int]:
    return list(matches.values_list("pk", flat=True))


def _sides(match: MatchRow) -> list[SideRow]:
    """A match's sides in order."""
    results = {result.side: result for result in match.results}
    players: dict[int, dict[Member, None]] = {}
    teams: dict[int, dict[str, None]] = {}
    for seat in match.seats:
        member = Member(seat.slug, seat.name, seat.version)
        players.setdefault(seat.side, {})[member] = None
        teams.setdefault(seat.side, {})[seat.entry] = None
    sides = []
    for index, members in sorted(players.items()):
        result = results.get(index)
        sides.append(
            SideRow(
                index=index,
                players=list(members),
                team="".join(teams[index]) if len(teams[index]) == 1 else "",
                score=result.score if result else None,
                rank=result.rank if result else None,
                faulted=bool(result and result.faulted),
            )
        )
    return sides


def matches() -> QuerySet[Match]:
    """All matches, the last begun first."""
    return Match.objects.order_by("-pk")


UNPLAYED: Final = (Match.State.WAITING, Match.State.VOID)
"""States of matches without anything to look at."""


def matches_of(bot: Bot) -> QuerySet[Match]:
    """A bot's matches, newest first."""
    own = Seat.objects.filter(version__bot=bot).values("match")
    played = listed_matches().filter(pk__in=own).exclude(state__in=UNPLAYED)
    return played.order_by("-pk")


def faults_of(bot: Bot) -> QuerySet[Match]:
    """The matches in which the bot itself made a fault, newest first."""
    faulty = Seat.objects.filter(version__bot=bot).exclude(fault="").values("match")
    return listed_matches().filter(pk__in=faulty).order_by("-pk")


def latest_of(bot: Bot, *, matches: int, faults: int) -> tuple[list[int], list[int]]:
    """Primary keys of a bot's last `matches` matches, and of its last `faults` matches with a
    fault."""
    played = _keys(matches_of(bot)[:matches])
    return played, _keys(faults_of(bot)[:faults]) if faults else []


LATEST: Final = 100
"""The number of past attempts that are searched for a match to watch."""


def newest_matches(count: int) -> list[int]:
    """Primary keys of the last finished matches with public replays."""
    # By attempts, which have an index on their ends, because there are many matches.
    stored = Attempt.objects.filter(outcome=Attempt.Outcome.STORED, finished__isnull=False)
    latest = stored.order_by("-finished").values("match")[:LATEST]
    finished = listed_matches().filter(over("deal_group"), state=Match.State.FINISHED)
    for some in (
        finished.filter(pk__in=latest).order_by("-finished", "-pk"),
        finished.order_by("-pk"),  # only trials were played recently
    ):
        if keys := _keys(some[:count]):
            return keys
    return []


# --- ratings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of ratings as text."""

    name: str
    game: str
    """The game's name; empty for the pool of all games."""
    detail: str
    """Variant and table form; empty for a whole game."""


def pools() -> list[Pool]:
    """Pools with ratings: all games, then games, then their forms."""
    names = set(Rating.objects.order_by().values_list("pool", flat=True).distinct())
    return [pool_of(name) for name in sorted(names, key=lambda name: (name != OVERALL, name))]


def pool_of(name: str) -> Pool:
    """The pool with this name."""
    game, _, detail = name.partition("/")
    return Pool(name, "" if name == OVERALL else game, detail)


@dataclass(frozen=True, slots=True)
class RatingLine:
    """A row of the rating table."""

    rating: Rating
    best: int | None
    worst: int | None
    """The range of places that the interval allows; None before the first fit."""
    bar: Bar
    fixed: bool
    """An anchor at its nominal place."""

    @property
    def change(self) -> int | None:
        """The change of its version's fit within `MONTH`; None without an earlier fit."""
        before = vars(self.rating).get("before")
        if before is None or self.rating.fitted is None:
            return None
        return round(self.rating.fitted - float(before))

    @property
    def fall(self) -> int:
        """The loss within `MONTH`, at least 0."""
        return -(self.change or 0)

    @property
    def value(self) -> float:
        """The fitted rating, or the live Elo before the first fit."""
        fitted = self.rating.fitted
        return self.rating.live if fitted is None else fitted

    @property
    def margin(self) -> float | None:
        """Half the width of the interval."""
        rating = self.rating
        return None if rating.fitted is None else half_width(rating.fitted, rating.low, rating.high)

    @property
    def words(self) -> str:
        """The interval as text."""
        low, high = self.rating.low, self.rating.high
        if low is None and high is None:
            return f"{self.value:.0f}, no interval yet"
        if low is None or high is None:
            return f"{self.value:.0f}, {interval_text(low, high)}"
        return f"{self.value:.0f}, between {low:.0f} and {high:.0f}"

    @property
    def note(self) -> str:
        """The words in place of a margin; empty if there is one."""
        low, high = self.rating.low, self.rating.high
        if self.fixed:
            return "fixed"
        if low is None and high is None:
            return "so far"
        return "" if low is not None and high is not None else interval_text(low, high)


def ratings(pool: str, kind: str = Rating.Kind.ALL) -> QuerySet[Rating]:
    """Ratings of a pool, best first; those without a fit last."""
    return (
        Rating.objects.filter(pool=pool, kind=kind)
        .select_related("version__bot__owner")
        .order_by(F("fitted").desc(nulls_last=True), "-live", "pk")
    )


MONTH: Final = timedelta(days=30)


def add_past(ratings: Sequence[Rating]) -> None:
    """Add these ratings' fits of a month ago as `before`."""
    points = RatingPoint.objects.filter(
        pool=OuterRef("pool"), version=OuterRef("version"), at__lte=Now() - MONTH
    )
    before = Subquery(points.order_by("-ordinal").values("fitted")[:1])
    rows = Rating.objects.filter(pk__in=[rating.pk for rating in ratings]).annotate(before=before)
    past = dict(rows.order_by().values_list("pk", "before"))
    for rating in ratings:
        vars(rating)["before"] = past.get(rating.pk)


def best_of_games() -> list[tuple[Pool, RatingLine]]:
    """The best bot of each game with fitted ratings, in the order of games."""
    names = [game.name for game in registry.games()]
    firsts = Q(pk=None)
    for name in names:
        fitted = current(ratings(name)).filter(fitted__isnull=False)
        firsts |= Q(pk=Subquery(fitted.values("pk")[:1]))
    best = {
        rating.pool: rating
        for rating in Rating.objects.filter(firsts).select_related("version__bot")
    }
    return [(pool_of(name), rating_lines([best[name]])[0][0]) for name in names if name in best]


def current(ratings: QuerySet[Rating]) -> QuerySet[Rating]:
    """Each bot's active version, or its newest rated version if none is active."""
    newest = (
        Rating.objects.filter(
            pool=OuterRef("pool"), kind=OuterRef("kind"), version__bot=OuterRef("version__bot")
        )
        .order_by("-version__number")
        .values("version")[:1]
    )
    active = Rating.objects.filter(
        pool=OuterRef("pool"),
        kind=OuterRef("kind"),
        version=OuterRef("version__bot__active_version"),
    ).values("version")[:1]
    return ratings.annotate(active=Subquery(active), newest=Subquery(newest)).filter(
        Q(version=F("active")) | Q(active=None, version=F("newest"))
    )


def rating_lines(ratings: Sequence[Rating]) -> tuple[list[RatingLine], Bars]:
    """The rows of a table of ratings, with places, and with bars on one axis."""
    values = [
        value
        for rating in ratings
        for value in (
            rating.fitted if rating.fitted is not None else rating.live,
            *(end for end in (rating.low, rating.high) if end is not None),
        )
    ]
    axis = Bars.from_values(values)
    fitted = [
        (r.pk, (-inf if r.low is None else r.low, inf if r.high is None else r.high))
        for r in ratings
        if r.low is not None or r.high is not None
    ]
    places = dict(
        zip((pk for pk, _ in fitted), place_ranges([ends for _, ends in fitted]), strict=True)
    )
    lines = []
    for rating in ratings:
        best, worst = places.get(rating.pk, (None, None))
        value = rating.live if rating.fitted is None else rating.fitted
        bar = axis.bar(value, rating.low, rating.high)
        lines.append(RatingLine(rating, best, worst, bar, _fixed(rating)))
    return lines, axis


def _fixed(rating: Rating) -> bool:
    """Whether its number is the nominal place of an anchor, which holds until the first fit."""
    bot = rating.version.bot
    return rating.fitted is None and bot.is_house and bot.name in scale.by_name()


def leaders(*, pools: int, rows: int) -> list[tuple[Pool, list[RatingLine]]]:
    """The top rows of the most played forms."""
    return [
        (pool_of(name), rating_lines(list(current(ratings(name))[:rows]))[0])
        for name in _busiest()[:pools]
    ]


def busiest_pool() -> str:
    """The most played form, which is shown unless the reader chooses another."""
    return next(iter(_busiest()[:1]), OVERALL)


def _busiest() -> QuerySet[Rating, str]:
    """Forms of games by number of matches, largest first."""
    forms = (
        Rating.objects.filter(kind=Rating.Kind.ALL, pool__contains="/").order_by().values("pool")
    )
    played = forms.annotate(played=Sum("matches")).order_by("-played", "pool")
    return played.values_list("pool", flat=True)


def history(bot: Bot, pool: str) -> tuple[list[Point], dict[int, list[Interval]]]:
    """Every step of a bot's live Elo in a pool, and each version's fits in between."""
    numbers = {version.pk: version.number for version in bot.versions.all()}
    # Version keys avoid a join with bots, which would read the whole pool.
    changes = RatingChange.objects.filter(pool=pool, version__in=list(numbers)).order_by("pk")
    rows = list(changes.values_list("match", "version", "before", "after"))
    place = {(version, match): i for i, (match, version, *_) in enumerate(rows)}
    fits: dict[int, list[Interval]] = {}
    points = RatingPoint.objects.filter(pool=pool, version__in=list(numbers)).order_by("ordinal")
    last = Match.objects.filter(ordinal=OuterRef("ordinal")).values("pk")
    points = points.annotate(last_match=Subquery(last))
    for version, match, low, fitted, high in points.values_list(
        "version", "last_match", "low", "fitted", "high"
    ):
        if (version, match) in place:
            interval = Interval(place[version, match], low, fitted, high)
            fits.setdefault(numbers[version], []).append(interval)
    return [Point(match, numbers[version], *elo) for match, version, *elo in rows], fits
