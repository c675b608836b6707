"""Update the live Elo once for each finished rated match, in the order of ordinals.

Only the holder of the lock on the single `Ledger` row may do this. An entrant is a `BotVersion`
(its primary key); a side is the set of its versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.db import transaction
from django.db.models import QuerySet

from bots.models import BotVersion
from cardroom_base.db.db_time import now
from engine import Format
from tournaments.models import Ledger, Match, Rating, RatingChange, Seat, SideResult
from tournaments.ratings import elo, scale

OVERALL = "overall"
"""The pool of all games together."""
CHUNK = 500


@lru_cache(maxsize=4096)
def pools_of(format_text: str) -> tuple[str, str, str]:
    """The pools in which a match of this format counts: `game/variant/table`, `game`, `overall`."""
    fmt = Format.parse(format_text)
    return f"{fmt.game}/{fmt.variant}/{fmt.table}", fmt.game, OVERALL


@dataclass
class LiveRatings:
    """The live ratings during an update: loaded, updated match by match, then saved."""

    ratings: dict[tuple[str, int], Rating] = field(default_factory=dict)
    changes: list[RatingChange] = field(default_factory=list)
    anchors: Mapping[int, float] = field(default_factory=dict)
    """Fixed ratings by version."""

    def load(self, versions: Iterable[int]) -> None:
        ratings = Rating.objects.filter(kind=Rating.Kind.ALL, version__in=set(versions))
        for rating in ratings:
            self.ratings.setdefault((rating.pool, rating.version_id), rating)

    def update(
        self, match: Match, members: Sequence[Sequence[int]], points: Sequence[float]
    ) -> None:
        time = match.finished or now()
        for pool in pools_of(match.format):
            ratings = {v: self._rating(pool, v) for side in members for v in side}
            new_ratings = elo.update(
                {v: rating.live for v, rating in ratings.items()},
                {v: rating.matches for v, rating in ratings.items()},
                members,
                points,
                frozen=self.anchors.keys(),
            )
            for version, rating in ratings.items():
                new_rating = float(new_ratings[version])
                self.changes.append(
                    RatingChange(
                        pool=pool,
                        version_id=version,
                        match=match,
                        before=rating.live,
                        after=new_rating,
                        at=time,
                    )
                )
                rating.live = new_rating
                rating.matches += 1
                rating.updated = time

    def _rating(self, pool: str, version: int) -> Rating:
        key = (pool, version)
        if key not in self.ratings:
            start = self.anchors.get(version, elo.START)
            self.ratings[key] = Rating(pool=pool, version_id=version, live=start)
        return self.ratings[key]

    def save(self) -> None:
        new = [rating for rating in self.ratings.values() if rating.pk is None]
        old = [rating for rating in self.ratings.values() if rating.pk is not None]
        Rating.objects.bulk_create(new, batch_size=CHUNK)
        Rating.objects.bulk_update(old, ["live", "matches", "updated"], batch_size=CHUNK)
        RatingChange.objects.bulk_create(self.changes, batch_size=CHUNK)
        self.changes = []


def update_live(limit: int = CHUNK) -> int:
    """Update the live ratings with the matches finished since the last call; return their number.

    Each match counts once: it gets its ordinal in the same transaction, under the ledger's lock.
    """
    new_matches = countable_matches().filter(ordinal__isnull=True)
    if not new_matches.exists():
        return 0
    with transaction.atomic():
        ledger = lock_ledger()
        if ledger.stale:
            return 0
        # Skip locked matches: their holder may be waiting for the ledger.
        unlocked = new_matches.select_for_update(of=("self",), skip_locked=True)
        matches = list(unlocked.order_by("finished", "pk")[:limit])
        live = LiveRatings(anchors=anchor_ratings())
        update_all(live, matches)
        for ordinal, match in enumerate(matches, ledger.ordinal + 1):
            match.ordinal = ordinal
        Match.objects.bulk_update(matches, ["ordinal"], batch_size=CHUNK)
        ledger.ordinal += len(matches)
        ledger.save(update_fields=["ordinal"])
    return len(matches)


def update_all(live: LiveRatings, matches: Sequence[Match]) -> None:
    """Update the live ratings with these matches, in their order."""
    sides = _sides_of(matches)
    live.load(
        version
        for sides_of_match in sides.values()
        for versions, _ in sides_of_match
        for version in versions
    )
    for match in matches:
        members = [versions for versions, _ in sides[match.pk]]
        ranks = [rank for _, rank in sides[match.pk]]
        live.update(match, members, _points(ranks))
    live.save()


def _points(ranks: Sequence[int]) -> list[float]:
    """The points of each side for `elo.update`: of two sides 1, ½ or 0, of more minus the rank."""
    if len(ranks) == 2:
        return [0.5 if ranks[0] == ranks[1] else float(rank == 1) for rank in ranks]
    return [-float(rank) for rank in ranks]


def _sides_of(matches: Iterable[Match]) -> dict[int, list[tuple[list[int], int]]]:
    """By match: (versions, rank) of each side."""
    keys = [match.pk for match in matches]
    sides_by_match: dict[int, list[tuple[list[int], int]]] = {}
    for start in range(0, len(keys), CHUNK):
        chunk = keys[start : start + CHUNK]
        versions_by_side: dict[tuple[int, int], list[int]] = {}
        seats_of_chunk = Seat.objects.filter(match__in=chunk).order_by("match", "index")
        for match, side, version in seats_of_chunk.values_list("match", "side", "version"):
            versions_by_side.setdefault((match, side), []).append(version)
        results = SideResult.objects.filter(match__in=chunk).order_by("match", "side")
        for match, side, rank in results.values_list("match", "side", "rank"):
            versions = list(dict.fromkeys(versions_by_side[match, side]))
            sides_by_match.setdefault(match, []).append((versions, rank))
    return sides_by_match


def countable_matches() -> QuerySet[Match]:
    """The finished matches of rated tournaments."""
    return Match.objects.filter(state=Match.State.FINISHED, tournament__rated=True)


def lock_ledger() -> Ledger:
    Ledger.objects.get_or_create(pk=1)
    return Ledger.objects.select_for_update().get(pk=1)


def anchors(pool: str = "") -> dict[int, scale.Anchor]:
    """The anchors of a pool, by version; without a pool, the default ones."""
    versions = BotVersion.objects.filter(bot__name__in=scale.anchors_by_name(), bot__owner=None)
    return scale.anchors_of_entrants(dict(versions.values_list("pk", "bot__name")), pool)


def anchor_ratings() -> dict[int, float]:
    """The live Elo of anchors, by version: their nominal ratings."""
    return {version: anchor.points for version, anchor in anchors().items()}
