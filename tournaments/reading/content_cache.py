"""Cache results about a tournament that are expensive to compute, until the tournament changes.

A tournament's *mark* is a few counts that one query reads from indexes. They change exactly when
the facts behind the tables change. So a worker that stores a result need not invalidate anything,
and workers share no row. Cached content is stored with the mark from just before its computation;
if the present mark differs, the content is stale.

Up to a number of matches (`CachedKind.uncached_matches`), content is cheap: each request computes
it, and it is not cached. Beyond, cached content is served immediately, stale or not, and the
housekeeper recomputes it (`compute_due`): always for running tournaments, for others on request.
"""

from __future__ import annotations

import json
import logging
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final, Generic, TypeVar

from django.db.models import (
    BigIntegerField,
    Count,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    prefetch_related_objects,
)
from django.db.models.functions import Coalesce

from cardroom_base.db import database
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.jobs import LeaseLost
from tournaments.models import (
    DealGroup,
    Decision,
    Entry,
    Frozen,
    Kept,
    Match,
    PoolFit,
    Rating,
    Tournament,
)
from tournaments.projections.live_elo import pools_of
from tournaments.visibility import AnyViewer, sees_only_frozen_results

log = logging.getLogger(__name__)

SHAPE: Final = 7
"""Version of the cached content; changing it makes all content stale."""
WAIT_FACTOR: Final = 9
"""The wait before recomputing, as a multiple of the last duration, so that each kind of content
uses at most a tenth of a processor."""
AS_OF: Final = (
    "For a tournament with many matches: the time up to which results are included, while newer "
    "results are being added. null: all results are included."
)
MIN_WAIT: Final = 10.0
"""The minimum wait in seconds."""
FRESH_AFTER_END: Final = timedelta(days=1)
"""For this time after its end, a tournament's content is still recomputed without requests."""

T = TypeVar("T")


@dataclass(frozen=True)
class CachedKind:
    """A kind of content about a tournament that can be cached."""

    name: str
    uncached_matches: int
    """Finished matches up to which it is computed while the viewer waits."""
    listed: bool = field(default=False, kw_only=True)
    """Whether lists show it for many tournaments; then it is cached for small ones, too."""
    automatic: ClassVar[bool] = False
    """Whether it is recomputed for running tournaments without requests."""

    @property
    def max_uncached(self) -> int:
        """Finished matches up to which it is not cached."""
        return min(0, self.uncached_matches) if self.listed else self.uncached_matches

    def store(self, tournament: Tournament, row: Kept) -> dict[str, Any]:
        """Compute it; return the new fields of its row. Long computations renew the row's lease."""
        raise NotImplementedError


@dataclass(frozen=True)
class JsonKind(CachedKind, Generic[T]):
    """A kind of content that is cached as JSON."""

    make: Callable[[Tournament], Any]
    """Computes the content, as JSON."""
    load: Callable[[Any], T]
    """Converts the JSON to the value that viewers get."""
    automatic: ClassVar[bool] = True

    def store(self, tournament: Tournament, row: Kept) -> dict[str, Any]:  # noqa: ARG002 - short enough for the lease
        return {"content": self.compressed(tournament)}

    def compressed(self, tournament: Tournament) -> bytes:
        """The content, computed now, as it is stored."""
        return zlib.compress(json.dumps(self.make(tournament), separators=(",", ":")).encode())


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value for a viewer."""

    value: T | None = None
    at: datetime | None = None
    """The time of the value's data; None: it is up to date."""
    coming: bool = False
    """Whether there is no value yet, because it is being computed for the first time."""


def read(kind: JsonKind[T], tournament: Tournament) -> Reading[T]:
    """The content: computed now if the tournament is small, otherwise as last cached."""
    prefetch_related_objects([tournament], "stages")  # the computation reads them repeatedly
    counts = _change_counts(tournament)
    small = counts["done"] <= kind.uncached_matches
    if small and not kind.listed:
        return Reading(kind.load(kind.make(tournament)))
    mark = _mark(tournament, counts)
    row = Kept.objects.filter(tournament=tournament, name=kind.name).first()
    is_fresh = row is not None and row.mark == mark
    if small and not is_fresh:
        return Reading(kind.load(kind.make(tournament)))
    if not is_fresh:
        request_content(tournament, kind.name, row)
    if row is None or row.at is None:
        return Reading(coming=True)
    return Reading(_load(kind, row), None if is_fresh else row.at)


def read_for(kind: JsonKind[T], tournament: Tournament, viewer: AnyViewer) -> Reading[T]:
    """The content that a viewer may see: up to date, or from when the standings were frozen."""
    if not sees_only_frozen_results(tournament, viewer):
        return read(kind, tournament)
    row = Frozen.objects.filter(tournament=tournament, name=kind.name).first()
    return Reading(_load(kind, row) if row else None, tournament.frozen)


def freeze(kind: JsonKind[Any], tournament: Tournament) -> None:
    """Store the content as it is now, for `read_for`."""
    prefetch_related_objects([tournament], "stages")
    content = kind.compressed(tournament)
    Frozen.objects.create(tournament=tournament, name=kind.name, content=content)


def read_many(kind: JsonKind[T], tournaments: Iterable[Tournament]) -> dict[int, T]:
    """The content of several tournaments as last cached, by their primary keys; one query, and
    another one if the standings of some are frozen.

    Requests missing content of tournaments that have started.
    """
    by_key = {
        tournament.pk: tournament for tournament in tournaments if tournament.started is not None
    }
    rows = Kept.objects.filter(tournament__in=by_key, name=kind.name)
    cached = {row.tournament_id: row for row in rows}
    missing = [tournament for pk, tournament in by_key.items() if pk not in cached]
    if missing:
        with database.skip_if_unavailable():
            rows_to_create = [
                Kept(tournament=tournament, name=kind.name, asked=now()) for tournament in missing
            ]
            Kept.objects.bulk_create(rows_to_create, ignore_conflicts=True)
    contents = {pk: _load(kind, row) for pk, row in cached.items() if row.at is not None}
    if frozen := [pk for pk, tournament in by_key.items() if tournament.frozen]:
        old = Frozen.objects.filter(tournament__in=frozen, name=kind.name)
        contents |= {row.tournament_id: _load(kind, row) for row in old}
    return contents


def _load(kind: JsonKind[T], row: Kept | Frozen) -> T:
    return kind.load(json.loads(zlib.decompress(bytes(row.content))))


def request_content(tournament: Tournament, name: str, row: Kept | None) -> None:
    """Request a computation; `row`: the cached content, if any. If the database accepts no writes
    now, the next viewer requests it again."""
    if row is not None and row.asked is not None:
        return
    with database.skip_if_unavailable():
        if row is None:
            rows_to_create = [Kept(tournament=tournament, name=name, asked=now())]
            Kept.objects.bulk_create(rows_to_create, ignore_conflicts=True)
        else:
            Kept.objects.filter(pk=row.pk, asked=None).update(asked=Now())


# --- marks --------------------------------------------------------------------------------------


def mark_of(tournament: Tournament) -> tuple[str, int]:
    """The mark of a tournament, and its number of finished matches."""
    counts = _change_counts(tournament)
    return _mark(tournament, counts), counts["done"]


def mark_above(tournament: Tournament, matches: int) -> str | None:
    """The tournament's mark; None if it has at most `matches` finished matches."""
    counts = _change_counts(tournament)
    return _mark(tournament, counts) if counts["done"] > matches else None


def _mark(tournament: Tournament, counts: dict[str, Any]) -> str:
    parts = [SHAPE, *counts.values()]
    if tournament.is_ladder:
        parts += _rating_counts(tournament)
    return " ".join(map(str, parts))


def _change_counts(tournament: Tournament) -> dict[str, Any]:
    """The counts that change with its tables.

    A result increases the number of finished matches. Taking one back decreases it, but adds a
    decision, and decisions are never deleted; so no mark occurs twice. Pairing adds deal groups
    with higher numbers. On a ladder, entries come, go and change their versions.
    """
    entries = Entry.objects.all()
    finished = vars(tournament).get("counted_finished")  # the query has just counted many rows
    counts = Tournament.objects.filter(pk=tournament.pk).annotate(
        done=_aggregate(Match.objects.filter(state=Match.State.FINISHED), "COUNT", "pk")
        if finished is None
        else Value(finished),
        paired=_aggregate(DealGroup.objects.all(), "MAX", "number"),
        decided=_aggregate(Decision.objects.all(), "COUNT", "pk"),
        entered=_aggregate(entries, "COUNT", "pk"),
        gone=_aggregate(entries, "COUNT", "withdrawn"),
        versions=_aggregate(entries, "SUM", "version"),
    )
    names = ("state", "done", "paired", "decided", "entered", "gone", "versions")
    return dict(counts.values(*names).get())


def _aggregate(rows: QuerySet[Any], function: str, field: str) -> Any:
    """An aggregate over the rows of the outer query's tournament; 0 if there are none.

    It avoids GROUP BY, which Django's aggregates would add: databases would then not read MAX from
    an index.
    """
    aggregate = Func(F(field), function=function, output_field=BigIntegerField())
    own = rows.filter(tournament=OuterRef("pk")).order_by().annotate(result=aggregate)
    return Coalesce(Subquery(own.values("result")), 0)


def _rating_counts(tournament: Tournament) -> list[object]:
    """Counts that change with the ratings of the format's pool, by which ladders are ranked."""
    pool, _, _ = pools_of(tournament.format)
    sums = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL).aggregate(
        count=Count("pk"), matches=Sum("matches"), groups=Sum("groups")
    )
    fit = PoolFit.objects.filter(pool=pool).values_list("ordinal", "at").first() or (0, "")
    return [*sums.values(), fit[0], str(fit[1]).replace(" ", "T")]


# --- computing ----------------------------------------------------------------------------------


def compute_due(kinds: Iterable[CachedKind], stop: Callable[[], bool] = lambda: False) -> int:
    """Compute all content that is due, one after the other; return the number of computations."""
    count = 0
    for tournament, kind in due_content(kinds):
        if stop():
            break
        name = f"Computing the {kind.name} of {tournament.slug}"
        count += database.try_piece(name, compute, kind, tournament) or False
    return count


def recompute_all(kinds: Iterable[CachedKind]) -> int:
    """Delete all cached content and compute it again; return the number of computations.

    Exports are recomputed on request only.
    """
    Kept.objects.all().delete()
    started = Tournament.objects.filter(started__isnull=False, trial=False).order_by("pk")
    return sum(
        compute(kind, tournament)
        for tournament in started
        for kind in kinds
        if mark_of(tournament)[1] > kind.max_uncached
    )


def due_content(kinds: Iterable[CachedKind]) -> Iterator[tuple[Tournament, CachedKind]]:
    """The content to compute now: first stale content of tournaments that run or have just ended,
    then requested content."""
    kinds_by_name = {kind.name: kind for kind in kinds}
    jobs: dict[tuple[int, str], tuple[Tournament, CachedKind]] = {}
    for tournament in _refreshed_tournaments():
        for kind in kinds_by_name.values():
            if kind.automatic:
                jobs[tournament.pk, kind.name] = tournament, kind
    requests = Kept.objects.filter(asked__isnull=False, name__in=kinds_by_name).order_by("asked")
    for request in requests.select_related("tournament"):
        kind = kinds_by_name[request.name]
        jobs.setdefault((request.tournament_id, kind.name), (request.tournament, kind))
    rows = Kept.objects.filter(tournament__in={tournament for tournament, _ in jobs})
    cached = {(row.tournament_id, row.name): row for row in rows.defer("content")}
    time = now()
    for key, (tournament, kind) in jobs.items():
        previous = cached.get(key)
        if previous and _is_too_soon(previous, time):
            continue
        mark, finished = mark_of(tournament)
        if finished > kind.max_uncached and (previous is None or previous.mark != mark):
            yield tournament, kind
        elif previous and previous.asked:
            Kept.objects.filter(pk=previous.pk).update(asked=None)


def _refreshed_tournaments() -> QuerySet[Tournament]:
    started = Tournament.objects.filter(started__isnull=False, trial=False)
    just_ended = Q(finished__gt=Now(-FRESH_AFTER_END.total_seconds()))
    return started.filter(Q(state=Tournament.State.RUNNING) | just_ended).order_by("pk")


def _is_too_soon(row: Kept, time: datetime) -> bool:
    """Whether the content is being computed, or was computed too recently."""
    if row.lease_until and row.lease_until > time:
        return True
    wait = timedelta(seconds=max(MIN_WAIT, WAIT_FACTOR * row.seconds))
    return row.at is not None and row.at + wait > time


def compute(kind: CachedKind, tournament: Tournament) -> bool:
    """Compute and cache the content; False if another process is doing so.

    A failed computation keeps its lease, which delays the next try; an interrupted one releases it.
    """
    cached, _ = Kept.objects.get_or_create(tournament=tournament, name=kind.name)
    row = Kept.objects.take(pk=cached.pk)
    if row is None:
        return False
    start, data_time = time.process_time(), now()
    mark, _ = mark_of(tournament)  # before the content, so that later results make it stale
    try:
        fields = kind.store(tournament, row)
        seconds = time.process_time() - start
        if row.give_back(**fields, mark=mark, at=data_time, seconds=seconds, asked=None, tries=0):
            return True
    except LeaseLost:
        pass
    except KeyboardInterrupt:  # this process must end
        row.give_back()
        raise
    log.warning("The %s of %s took too long to create.", kind.name, tournament.slug)
    return False
