"""Queries that several pages need; each list takes a constant number of queries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery, Value

from bots.models import Bot, BotVersion
from cardroom.display.numbers import interval
from cardroom.pages.common.rating_history import EloStep, HistoryShift, Interval
from cardroom_base.db.db_time import now
from tournaments.models import (
    Attempt,
    Match,
    Rating,
    RatingChange,
    RatingPoint,
    ScaleChange,
    Seat,
    Tournament,
    group_is_over,
)
from tournaments.projections import OVERALL
from tournaments.ratings import scale
from tournaments.ratings.elo import margin
from tournaments.reading.entry_names import Member
from tournaments.reading.matches import MatchRow, match_rows
from tournaments.reading.queries import with_progress
from tournaments.reading.ratings import leaders as leading_ratings
from tournaments.reading.ratings import played_pools
from tournaments.visibility import NOBODY, AnyViewer, listed_matches, visible_to

# --- tournaments and bots -----------------------------------------------------------------------


def tournaments(viewer: AnyViewer) -> QuerySet[Tournament]:
    """The tournaments that the viewer may see, newest first, with their progress."""
    return with_progress(visible_to(viewer))


def bots() -> QuerySet[Bot]:
    """Bots with their owner, active version, its overall rating, and their newest version."""
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
    """A side of a match: its players, and its result (None before the end)."""

    index: int
    players: list[Member]
    """The bots of the side, each once."""
    team: str
    """The name of the team, or empty."""
    score: int | None
    rank: int | None
    faulted: bool

    @property
    def name(self) -> str:
        """The names of the bots."""
        return " & ".join(player.name for player in self.players)

    @property
    def won(self) -> bool:
        """Whether the side has the best rank, alone or shared."""
        return self.rank == 1


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match with its sides."""

    match: MatchRow
    sides: list[SideRow]


def list_matches(matches: Any) -> list[ListedMatch]:
    """The matches of a query or a page with their sides, in the same order."""
    return [ListedMatch(row, _sides(row)) for row in match_rows(_keys(matches))]


def list_matches_by_key(keys: Sequence[int]) -> dict[int, ListedMatch]:
    """Matches with their sides, by primary key."""
    return {row.pk: ListedMatch(row, _sides(row)) for row in match_rows(keys)}


def list_match_rows(rows: Iterable[MatchRow]) -> list[ListedMatch]:
    """Matches that are already read, with their sides."""
    return [ListedMatch(row, _sides(row)) for row in rows]


def _keys(matches: Any) -> list[int]:
    return list(matches.values_list("pk", flat=True))


def _sides(match: MatchRow) -> list[SideRow]:
    """The sides of a match, in order."""
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
    """All matches, newest first."""
    return Match.objects.order_by("-pk")


UNPLAYED: Final = (Match.State.WAITING, Match.State.VOID)
"""The states of matches without moves."""


def matches_of(bot: Bot, viewer: AnyViewer) -> QuerySet[Match]:
    """The bot's matches that the viewer may see, newest first."""
    own_seats = Seat.objects.filter(version__bot=bot).values("match")
    played = listed_matches(viewer).filter(pk__in=own_seats).exclude(state__in=UNPLAYED)
    return played.order_by("-pk")


def faulty_matches_of(bot: Bot, viewer: AnyViewer) -> QuerySet[Match]:
    """The matches in which the bot committed a fault and that the viewer may see, newest first."""
    faulty = Seat.objects.filter(version__bot=bot).exclude(fault="").values("match")
    return listed_matches(viewer).filter(pk__in=faulty).order_by("-pk")


def latest_match_keys(
    bot: Bot, viewer: AnyViewer, *, matches: int, faults: int
) -> tuple[list[int], list[int]]:
    """Primary keys of the bot's last `matches` matches and of its last `faults` matches with a
    fault."""
    played, faulty = matches_of(bot, viewer)[:matches], faulty_matches_of(bot, viewer)[:faults]
    if not faults:
        return _keys(played), []
    # One query for both. The parts of a union cannot be sliced, so their subqueries are.
    parts = [
        Match.objects.filter(pk__in=rows.values("pk")).order_by().values_list("pk", Value(number))
        for number, rows in enumerate((played, faulty))
    ]
    rows = sorted(parts[0].union(parts[1], all=True), reverse=True)
    return [pk for pk, number in rows if not number], [pk for pk, number in rows if number]


def matches_of_last_day(limit: int) -> QuerySet[Match]:
    """At most `limit` matches that finished in the last 24 hours."""
    recent = Match.objects.filter(finished__gte=now() - timedelta(days=1))
    return recent.order_by("finished")[:limit]  # this order uses the index


MAX_SEARCHED: Final = 100
"""`newest_match_keys` looks for matches among this many last attempts."""


def newest_match_keys(count: int) -> list[int]:
    """Primary keys of the last finished matches with public replays."""
    # There are many matches, so search the attempts, which have an index on their ends.
    stored = Attempt.objects.filter(outcome=Attempt.Outcome.STORED, finished__isnull=False)
    latest = stored.order_by("-finished").values("match")[:MAX_SEARCHED]
    finished = listed_matches(NOBODY).filter(
        group_is_over("deal_group"), state=Match.State.FINISHED
    )
    for candidates in (
        finished.filter(pk__in=latest).order_by("-finished", "-pk"),
        finished.order_by("-pk"),  # if only trials were played recently
    ):
        if keys := _keys(candidates[:count]):
            return keys
    return []


# --- ratings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PoolName:
    """The parts of a pool's name."""

    name: str
    game: str
    """The game's name; empty for the pool of all games."""
    detail: str
    """Variant and table form; empty for a whole game."""


def pools() -> list[PoolName]:
    """The pools with ratings: all games, then each game, followed by its forms."""
    names = set(Rating.objects.order_by().values_list("pool", flat=True).distinct())
    return [parse_pool(name) for name in sorted(names, key=lambda name: (name != OVERALL, name))]


def parse_pool(name: str) -> PoolName:
    game, _, detail = name.partition("/")
    return PoolName(name, "" if name == OVERALL else game, detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingEstimate:
    """A rating with its 95 % interval, which may be open at one end or both."""

    value: float
    low: float | None
    high: float | None
    nominal: bool = False
    """Whether it is the nominal rating of an anchor, not an estimate."""

    @property
    def margin(self) -> float | None:
        """The distance to the farther end of the interval; None if it has an open end."""
        return margin(self.value, self.low, self.high)

    @property
    def bound(self) -> str:
        """The closed end of a half-open interval as text; else empty."""
        if (self.low is None) == (self.high is None):
            return ""
        return interval(self)

    @property
    def words(self) -> str:
        """The interval as text."""
        if self.low is not None and self.high is not None:
            text = f"{self.value:.0f}, between {self.low:.0f} and {self.high:.0f}"
        else:
            text = f"{self.value:.0f}, {self.bound or 'no interval yet'}"
        return text.replace("-", "−")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRating(RatingEstimate):
    """A row of a list of ratings."""

    rating: Rating


def list_ratings(ratings: Iterable[Rating]) -> list[ListedRating]:
    """The ratings as rows: the fitted rating, or else the live Elo."""
    return [
        ListedRating(
            value=value,
            low=rating.low,
            high=rating.high,
            nominal=_is_nominal(rating),
            rating=rating,
        )
        for rating in ratings
        for value in [rating.live if rating.fitted is None else rating.fitted]
    ]


def _is_nominal(rating: Rating) -> bool:
    """Whether the rating is the nominal one of an anchor, which applies until the first fit."""
    bot = rating.version.bot
    return rating.fitted is None and bot.is_house and bot.name in scale.anchors_by_name()


def leaders(*, pools: int, rows: int) -> list[tuple[PoolName, list[ListedRating]]]:
    """The best `rows` bots in each of the `pools` table forms that are played most."""
    forms = [name for name in played_pools() if "/" in name]
    best = leading_ratings(forms[:pools], rows)
    return [(parse_pool(name), list_ratings(ratings)) for name, ratings in best.items()]


def history(
    bot: Bot, pool: str
) -> tuple[list[EloStep], dict[int, list[Interval]], list[HistoryShift]]:
    """Every step of a bot's live Elo in a pool, the fits of each version, and the shifts of the
    pool's scale."""
    numbers = {version.pk: version.number for version in bot.versions.all()}
    # A join with bots instead of version keys would read the whole pool.
    changes = RatingChange.objects.filter(pool=pool, version__in=list(numbers)).order_by("pk")
    rows = list(changes.values_list("match", "version", "before", "after", "at"))
    index = {(version, match): i for i, (match, version, *_) in enumerate(rows)}
    fits: dict[int, list[Interval]] = {}
    points = RatingPoint.objects.filter(pool=pool, version__in=list(numbers)).order_by("ordinal")
    last = Match.objects.filter(ordinal=OuterRef("ordinal")).values("pk")
    points = points.annotate(last_match=Subquery(last))
    for version, match, low, fitted, high in points.values_list(
        "version", "last_match", "low", "fitted", "high"
    ):
        if (version, match) in index:
            interval = Interval(index[version, match], low, fitted, high)
            fits.setdefault(numbers[version], []).append(interval)
    steps = [EloStep(match, numbers[version], *elo) for match, version, *elo, _ in rows]
    return steps, fits, _scale_shifts(list(numbers), pool, [at for *_, at in rows])


def _scale_shifts(versions: list[int], pool: str, times: list[datetime]) -> list[HistoryShift]:
    """The shifts of the pool's scale since the first of `times`, the sorted times of matches."""
    changes = ScaleChange.objects.filter(pool=pool, versions__in=versions).distinct()
    return [
        HistoryShift(bisect_right(times, change.at) - 1, change.points, change.get_reason_display())
        for change in changes
        if times and times[0] <= change.at
    ]
