"""What follows from results: standings, cross tables, live Elo, fitted ratings.

Projections can be thrown away and made anew. Standings and cross tables are computed when asked.
Live ratings are kept in `Rating` and `RatingChange`: each finished match of a rated tournament is
taken in once, in the order of `Match.ordinal`, by whoever holds the lock on the one `Ledger` row.
The batch fit is computed from all results of a pool. `rebuild` does all of it again.

An entrant is an `Entry` (its primary key) in a tournament's tables and a `BotVersion` (its primary
key) in ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from bots.house import PREFIX
from bots.models import BotVersion
from engine import Format
from tournaments.deal_groups import Entrant, MatchResult
from tournaments.models import (
    Entry,
    Ledger,
    Match,
    Rating,
    RatingChange,
    SideResult,
    Tournament,
)
from tournaments.ratings import elo, fit
from tournaments.standings import Cell, Row, cross_table, standings

RATINGS_TASK = "tournaments.tasks.refresh_ratings"
OVERALL = "overall"
"""The pool of all games together."""
ANCHOR_BOT = PREFIX + "random"
"""The house bot whose rating is the scale's fixed point."""
CHUNK = 500


# --- tables of a tournament ---------------------------------------------------------------------


def group_results(tournament: Tournament) -> list[list[MatchResult]]:
    """The finished matches of each deal group that has any; entrants are entries' primary keys."""
    rows = (
        SideResult.objects.filter(match__tournament=tournament, match__state=Match.State.FINISHED)
        .order_by("match__fixture__number", "match__rotation", "side")
        .values_list("match__fixture", "match", "entry", "score", "rank", "faulted")
    )
    groups = []
    for _, group in groupby(rows.iterator(), key=lambda row: row[0]):
        matches = []
        for _, sides in groupby(group, key=lambda row: row[1]):
            _, _, entries, scores, ranks, faulted = zip(*sides, strict=True)
            guilty = tuple(side for side, fault in enumerate(faulted) if fault)
            matches.append(MatchResult(entries, scores, ranks, guilty))
        groups.append(matches)
    return groups


def tournament_standings(tournament: Tournament) -> list[Row]:
    """The standings, finished or running; a row's entrant is an entry's primary key."""
    return standings(_entries(tournament), group_results(tournament))


def tournament_cross_table(tournament: Tournament) -> dict[Entrant, dict[Entrant, Cell]]:
    """Who did what against whom, by entries' primary keys."""
    return cross_table(_entries(tournament), group_results(tournament))


def points_by_entry(tournament: Tournament) -> dict[Entrant, float]:
    """Points so far, for the pairing systems that look at them."""
    return {row.entrant: row.points for row in tournament_standings(tournament)}


def _entries(tournament: Tournament) -> list[int]:
    entries = Entry.objects.filter(tournament=tournament).order_by("number")
    return list(entries.values_list("pk", flat=True))


# --- live Elo -----------------------------------------------------------------------------------


def pools_of(format_text: str) -> tuple[str, str, str]:
    """The pools in which a match of this format counts: `game/variant/table`, `game`, `overall`."""
    fmt = Format.parse(format_text)
    return f"{fmt.game}/{fmt.variant}/{fmt.table}", fmt.game, OVERALL


@dataclass
class _Live:
    """The live ratings that are being moved, as they stand."""

    ratings: dict[tuple[str, int], Rating] = field(default_factory=dict)
    changes: list[RatingChange] = field(default_factory=list)
    anchors: frozenset[int] = frozenset()

    def load(self, versions: Iterable[int]) -> None:
        for rating in Rating.objects.filter(version__in=set(versions)):
            self.ratings.setdefault((rating.pool, rating.version_id), rating)

    def move(self, match: Match, members: Sequence[Sequence[int]], points: Sequence[float]) -> None:
        at = match.finished or timezone.now()
        for pool in pools_of(match.format):
            present = {v: self._rating(pool, v) for side in members for v in side}
            moved = elo.update(
                {v: rating.live for v, rating in present.items()},
                {v: rating.matches for v, rating in present.items()},
                members,
                points,
                frozen=self.anchors,
            )
            for version, rating in present.items():
                after = float(moved[version])
                self.changes.append(
                    RatingChange(
                        pool=pool,
                        version_id=version,
                        match=match,
                        before=rating.live,
                        after=after,
                        at=at,
                    )
                )
                rating.live = after
                rating.matches += 1
                rating.updated = at

    def _rating(self, pool: str, version: int) -> Rating:
        key = (pool, version)
        if key not in self.ratings:
            start = fit.ANCHOR_RATING if version in self.anchors else elo.START
            self.ratings[key] = Rating(pool=pool, version_id=version, live=start)
        return self.ratings[key]

    def save(self) -> None:
        new = [rating for rating in self.ratings.values() if rating.pk is None]
        old = [rating for rating in self.ratings.values() if rating.pk is not None]
        Rating.objects.bulk_create(new, batch_size=CHUNK)
        Rating.objects.bulk_update(old, ["live", "matches", "updated"], batch_size=CHUNK)
        RatingChange.objects.bulk_create(self.changes, batch_size=CHUNK)
        self.changes = []


def take_in(limit: int = CHUNK) -> int:
    """Move the live ratings by the matches that finished since the last time; how many.

    Each match counts once: it gets its ordinal in the same transaction, under the ledger's lock.
    """
    fresh = _countable().filter(ordinal__isnull=True)
    if not fresh.exists():
        return 0
    with transaction.atomic():
        ledger = _locked_ledger()
        if ledger.stale:
            return 0
        matches = list(fresh.order_by("finished", "pk")[:limit])
        live = _Live(anchors=_anchors())
        _move_all(live, matches)
        for ordinal, match in enumerate(matches, ledger.ordinal + 1):
            match.ordinal = ordinal
        Match.objects.bulk_update(matches, ["ordinal"], batch_size=CHUNK)
        ledger.ordinal += len(matches)
        ledger.save(update_fields=["ordinal"])
    return len(matches)


def _move_all(live: _Live, matches: Sequence[Match]) -> None:
    """Move by these matches, in their order."""
    sides = _sides_of(matches)
    live.load(version for per_match in sides.values() for side in per_match for version in side[0])
    for match in matches:
        members = [versions for versions, _ in sides[match.pk]]
        # More is better: a rank of 1 is the most. Two sides share one point.
        ranks = [rank for _, rank in sides[match.pk]]
        live.move(match, members, _points(ranks))
    live.save()


def _points(ranks: Sequence[int]) -> list[float]:
    if len(ranks) == 2:
        return [0.5 if ranks[0] == ranks[1] else float(rank == 1) for rank in ranks]
    return [-float(rank) for rank in ranks]


def _sides_of(matches: Iterable[Match]) -> dict[int, list[tuple[list[int], int]]]:
    """Per match its sides: the versions that sat there, and the rank they reached."""
    keys = [match.pk for match in matches]
    result: dict[int, list[tuple[list[int], int]]] = {}
    for start in range(0, len(keys), CHUNK):
        rows = (
            SideResult.objects.filter(match__in=keys[start : start + CHUNK])
            .order_by("match", "side")
            .values_list("match", "rank", "entry__version")
        )
        for match, rank, version in rows:
            result.setdefault(match, []).append(([version], rank))
    return result


def _countable() -> QuerySet[Match]:
    return Match.objects.filter(state=Match.State.FINISHED, tournament__rated=True)


def _locked_ledger() -> Ledger:
    Ledger.objects.get_or_create(pk=1)
    return Ledger.objects.select_for_update().get(pk=1)


def _anchors() -> frozenset[int]:
    """The versions of the bot that fixes the scale."""
    return frozenset(
        BotVersion.objects.filter(bot__name=ANCHOR_BOT, bot__owner=None).values_list(
            "pk", flat=True
        )
    )


# --- batch fit ----------------------------------------------------------------------------------


def refresh_fit() -> int:
    """Fit the pools that have results since the last fit; how many pools."""
    with transaction.atomic():
        ledger = _locked_ledger()
        upto = ledger.ordinal
        if ledger.stale or upto <= ledger.fitted:
            return 0
        changed = RatingChange.objects.filter(match__ordinal__gt=ledger.fitted)
        pools = sorted(set(changed.values_list("pool", flat=True)))
    fits = {pool: _fit_pool(pool, upto) for pool in pools}
    with transaction.atomic():
        ledger = _locked_ledger()
        if ledger.stale or ledger.fitted >= upto:
            return 0
        for pool, fitted in fits.items():
            _store_fit(pool, fitted)
        ledger.fitted = upto
        ledger.save(update_fields=["fitted"])
    return len(pools)


def _fit_pool(pool: str, upto: int) -> fit.Fit:
    anchors = _anchors()
    played = list(_games(pool, upto))
    present = {version for game in played for side in game.sides for version in side}
    anchor = min(anchors & present, default=-1)
    return fit.fit(played, anchor=anchor)


def _games(pool: str, upto: int) -> Iterator[fit.Game]:
    """Every result of the pool up to an ordinal, as the fit wants it."""
    rows = SideResult.objects.filter(
        match__state=Match.State.FINISHED,
        match__tournament__rated=True,
        match__ordinal__lte=upto,
    )
    if pool != OVERALL:
        rows = rows.filter(match__format__startswith=pool)
    columns = rows.order_by("match__ordinal", "side").values_list(
        "match", "match__fixture", "match__format", "entry__version", "rank"
    )
    for _, sides in groupby(columns.iterator(chunk_size=5000), key=lambda row: row[0]):
        _, fixtures, formats, versions, ranks = zip(*sides, strict=True)
        if pool == OVERALL or _belongs(formats[0], pool):
            yield fit.Game(tuple((version,) for version in versions), ranks, fixtures[0])


def _belongs(format_text: str, pool: str) -> bool:
    """Whether a format lies in a pool of which it starts with the name (`1v1` and `1v12`)."""
    return format_text[len(pool) : len(pool) + 1] in {"", "?", "/"}


def _store_fit(pool: str, fitted: fit.Fit) -> None:
    ratings = list(Rating.objects.filter(pool=pool))
    for rating in ratings:
        found = fitted.ratings.get(rating.version_id)
        rating.fitted = found.rating if found else None
        rating.low = found.low if found else None
        rating.high = found.high if found else None
        rating.groups = found.groups if found else 0
    Rating.objects.bulk_update(ratings, ["fitted", "low", "high", "groups"], batch_size=CHUNK)


# --- all of it ----------------------------------------------------------------------------------


def refresh() -> None:
    """Bring live ratings and fits up to date, from scratch where a result was set aside."""
    if Ledger.objects.filter(stale=True).exists():
        rebuild()
        return
    while take_in():
        pass
    refresh_fit()


def rebuild() -> int:
    """Throw live ratings, their history and the fits away and make them anew; matches counted.

    Matches keep their order: those without an ordinal yet come last.
    """
    with transaction.atomic():
        ledger = _locked_ledger()
        Rating.objects.all().delete()
        RatingChange.objects.all().delete()
        Match.objects.filter(ordinal__isnull=False).exclude(
            pk__in=_countable().values("pk")
        ).update(ordinal=None)
        live = _Live(anchors=_anchors())
        counted, after = 0, 0
        kept = _countable().filter(ordinal__isnull=False).order_by("ordinal")
        while matches := list(kept.filter(ordinal__gt=after)[:CHUNK]):
            after = matches[-1].ordinal or 0
            _move_all(live, matches)
            counted += len(matches)
        ledger.stale = False
        ledger.fitted = 0
        ledger.save(update_fields=["stale", "fitted"])
    while taken := take_in():
        counted += taken
    refresh_fit()
    return counted
