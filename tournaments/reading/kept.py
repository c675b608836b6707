"""Caches results that are expensive to compute, until the tournament changes.

A tournament's *mark* is a few counts that one query reads from indexes. They change
exactly when the facts behind the tables do, so storing a result need not notify anything, and no
row is written by every worker. What was last made is kept together with the mark from just before;
if the mark differs now, it is stale.

Up to a bound (`Kind.at_once`) a thing is cheap, made at each reading and never kept. Above it the
cached one is served immediately, stale or not, and the housekeeper recomputes it (`make_due`):
always for running tournaments, for others on request.
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
    prefetch_related_objects,
)
from django.db.models.functions import Coalesce

from cardroom_base.db import database
from cardroom_base.db.db_time import Now, now
from tournaments.models import (
    DealGroup,
    Decision,
    Entry,
    Kept,
    Match,
    PoolFit,
    Rating,
    Tournament,
)
from tournaments.projections.live import pools_of

log = logging.getLogger(__name__)

SHAPE: Final = 6
"""Version of what is kept; changing it makes all of it stale."""
REST: Final = 9
"""The wait before recomputing, as a multiple of the last duration: each result takes a tenth of a
processor at most."""
AS_OF: Final = (
    "For a tournament with many matches: the time of the results that this covers, while newer "
    "results are being added. null: it is up to date."
)
LEAST_REST: Final = 10.0
"""Seconds."""
FRESH: Final = timedelta(days=1)
"""Tournaments that ended so recently are still kept without being asked for."""

T = TypeVar("T")


class TakenOver(Exception):  # noqa: N818 - what is the case
    """Whoever made something was taken for dead: somebody else makes it now, or may."""


@dataclass(frozen=True)
class Keepable:
    """Something that can be kept about a tournament."""

    name: str
    at_once: int
    """Finished matches up to which it is made while the reader waits."""
    listed: bool = field(default=False, kw_only=True)
    """Whether lists show it for many tournaments; then small ones are cached as well."""
    own: ClassVar[bool] = False
    """Whether running tournaments have it made without being asked."""

    @property
    def least(self) -> int:
        """Finished matches up to which it is not kept."""
        return min(0, self.at_once) if self.listed else self.at_once

    def store(self, tournament: Tournament, row: Kept) -> dict[str, Any]:
        """Make it; the fields of its row. What takes minutes renews the row's lease meanwhile."""
        raise NotImplementedError


@dataclass(frozen=True)
class Kind(Keepable, Generic[T]):
    """What is kept as JSON."""

    make: Callable[[Tournament], Any]
    """What is kept, as JSON."""
    load: Callable[[Any], T]
    """What readers get, made from that."""
    own: ClassVar[bool] = True

    def store(self, tournament: Tournament, row: Kept) -> dict[str, Any]:  # noqa: ARG002 - it is made in time
        """Make it; the fields of its row."""
        text = json.dumps(self.make(tournament), separators=(",", ":"))
        return {"content": zlib.compress(text.encode())}


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """What a reader gets."""

    value: T | None = None
    at: datetime | None = None
    """The time that it is as of, unless that is now."""
    coming: bool = False
    """Whether it is being made for the first time, so there is no value yet."""


def read(kind: Kind[T], tournament: Tournament) -> Read[T]:
    """The thing as it is now, or as it was kept."""
    prefetch_related_objects([tournament], "stages")  # making it asks for them again and again
    counts = _counted(tournament)
    small = counts["done"] <= kind.at_once
    if small and not kind.listed:
        return Read(kind.load(kind.make(tournament)))
    mark = _mark(tournament, counts)
    row = Kept.objects.filter(tournament=tournament, name=kind.name).first()
    fresh = row is not None and row.mark == mark
    if small and not fresh:
        return Read(kind.load(kind.make(tournament)))
    if not fresh:
        ask(tournament, kind.name, row)
    if row is None or row.at is None:
        return Read(coming=True)
    return Read(_unpacked(kind, row), None if fresh else row.at)


def read_many(kind: Kind[T], tournaments: Iterable[Tournament]) -> dict[int, T]:
    """The thing of each of several tournaments, by primary key, as it was kept last: one query.

    Requests missing results of tournaments that have started.
    """
    counts = {
        tournament.pk: tournament for tournament in tournaments if tournament.started is not None
    }
    rows = Kept.objects.filter(tournament__in=counts, name=kind.name)
    cached = {row.tournament_id: row for row in rows}
    missing = [absent for pk, absent in counts.items() if pk not in cached]
    if missing:
        with database.spared():
            new = [Kept(tournament=absent, name=kind.name, asked=now()) for absent in missing]
            Kept.objects.bulk_create(new, ignore_conflicts=True)
    return {pk: _unpacked(kind, row) for pk, row in cached.items() if row.at is not None}


def _unpacked(kind: Kind[T], row: Kept) -> T:
    return kind.load(json.loads(zlib.decompress(bytes(row.content))))


def ask(tournament: Tournament, name: str, row: Kept | None) -> None:
    """Have it made soon; `row`: as it is kept so far. If the database takes no writes now, the next
    reader asks again."""
    if row is not None and row.asked is not None:
        return
    with database.spared():
        if row is None:
            new = [Kept(tournament=tournament, name=name, asked=now())]
            Kept.objects.bulk_create(new, ignore_conflicts=True)
        else:
            Kept.objects.filter(pk=row.pk, asked=None).update(asked=Now())


# --- marks --------------------------------------------------------------------------------------


def mark_of(tournament: Tournament) -> tuple[str, int]:
    """The mark of a tournament, and how many matches are behind it."""
    counts = _counted(tournament)
    return _mark(tournament, counts), counts["done"]


def mark_above(tournament: Tournament, at_once: int) -> str | None:
    """Its mark; None where no more than `at_once` finished matches are behind it."""
    counts = _counted(tournament)
    return _mark(tournament, counts) if counts["done"] > at_once else None


def _mark(tournament: Tournament, counts: dict[str, Any]) -> str:
    parts = [SHAPE, *counts.values()]
    if tournament.by_rating:
        parts += _rated(tournament)
    return " ".join(map(str, parts))


def _counted(tournament: Tournament) -> dict[str, Any]:
    """The counts that change with its tables.

    A result makes one more match finished. One that is set aside makes one fewer, but never without
    a decision, and decisions are only ever added: so no mark comes twice. Pairing adds deal groups,
    whose numbers grow. On a ladder entries come, go and change their versions.
    """
    entries = Entry.objects.all()
    counts = Tournament.objects.filter(pk=tournament.pk).annotate(
        done=_of_own(Match.objects.filter(state=Match.State.FINISHED), "COUNT", "pk"),
        paired=_of_own(DealGroup.objects.all(), "MAX", "number"),
        decided=_of_own(Decision.objects.all(), "COUNT", "pk"),
        entered=_of_own(entries, "COUNT", "pk"),
        gone=_of_own(entries, "COUNT", "withdrawn"),
        versions=_of_own(entries, "SUM", "version"),
    )
    names = ("state", "done", "paired", "decided", "entered", "gone", "versions")
    return dict(counts.values(*names).get())


def _of_own(rows: QuerySet[Any], function: str, field: str) -> Any:
    """An aggregate over the rows of the tournament outside; 0 where there are none.

    Without GROUP BY, which Django's aggregates would add: databases then find no MAX in an index.
    """
    what = Func(F(field), function=function, output_field=BigIntegerField())
    own = rows.filter(tournament=OuterRef("pk")).order_by().annotate(found=what)
    return Coalesce(Subquery(own.values("found")), 0)


def _rated(tournament: Tournament) -> list[object]:
    """What moves the places of a ladder: the ratings in its format, wherever they were earned."""
    pool, _, _ = pools_of(tournament.format)
    sums = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL).aggregate(
        count=Count("pk"), matches=Sum("matches"), groups=Sum("groups")
    )
    fit = PoolFit.objects.filter(pool=pool).values_list("ordinal", "at").first() or (0, "")
    return [*sums.values(), fit[0], str(fit[1]).replace(" ", "T")]


# --- making -------------------------------------------------------------------------------------


def make_due(kinds: Iterable[Keepable], stop: Callable[[], bool] = lambda: False) -> int:
    """Make everything that is due, one after the other; how many things."""
    count = 0
    for tournament, kind in due(kinds):
        if stop():
            break
        try:
            count += make(kind, tournament)
        except Exception as error:  # concerns one tournament; the others are made anyway
            if database.away(error):
                raise
            log.exception("The %s of %s cannot be created.", kind.name, tournament.slug)
    return count


def remake(kinds: Iterable[Keepable]) -> int:
    """Throw away everything kept and make it again, for every tournament; how many things.

    Exports are made when somebody asks for them again.
    """
    Kept.objects.all().delete()
    started = Tournament.objects.filter(started__isnull=False, trial=False).order_by("pk")
    return sum(
        make(kind, tournament)
        for tournament in started
        for kind in kinds
        if mark_of(tournament)[1] > kind.least
    )


def due(kinds: Iterable[Keepable]) -> Iterator[tuple[Tournament, Keepable]]:
    """What to make now: stale things of tournaments that run or have just ended, then whatever
    somebody has asked for, in that order."""
    kinds_by_name = {kind.name: kind for kind in kinds}
    jobs: dict[tuple[int, str], tuple[Tournament, Keepable]] = {}
    for tournament in _kept_fresh():
        for kind in kinds_by_name.values():
            if kind.own:
                jobs[tournament.pk, kind.name] = tournament, kind
    requested = Kept.objects.filter(asked__isnull=False, name__in=kinds_by_name).order_by("asked")
    for row in requested.select_related("tournament"):
        jobs.setdefault((row.tournament_id, row.name), (row.tournament, kinds_by_name[row.name]))
    rows = Kept.objects.filter(tournament__in={tournament for tournament, _ in jobs})
    cached = {(row.tournament_id, row.name): row for row in rows.defer("content")}
    moment = now()
    for key, (tournament, kind) in jobs.items():
        known_as = cached.get(key)
        if known_as and _rests(known_as, moment):
            continue
        mark, finished = mark_of(tournament)
        if finished > kind.least and (known_as is None or known_as.mark != mark):
            yield tournament, kind
        elif known_as and known_as.asked:
            Kept.objects.filter(pk=known_as.pk).update(asked=None)


def _kept_fresh() -> QuerySet[Tournament]:
    started = Tournament.objects.filter(started__isnull=False, trial=False)
    lately = Q(finished__gt=Now(-FRESH.total_seconds()))
    return started.filter(Q(state=Tournament.State.RUNNING) | lately).order_by("pk")


def _rests(row: Kept, moment: datetime) -> bool:
    """Whether it is being made now, or was made a moment ago."""
    if row.lease_until and row.lease_until > moment:
        return True
    rest = timedelta(seconds=max(LEAST_REST, REST * row.seconds))
    return row.at is not None and row.at + rest > moment


def make(kind: Keepable, tournament: Tournament) -> bool:
    """Make it and keep it; False if another process does.

    A failed computation keeps its lease, which delays the next try; an interrupted one does not.
    """
    cached, _ = Kept.objects.get_or_create(tournament=tournament, name=kind.name)
    row = Kept.objects.take(pk=cached.pk)
    if row is None:
        return False
    began, at = time.process_time(), now()
    mark, _ = mark_of(tournament)  # before the content: what comes meanwhile makes it stale
    try:
        fields = kind.store(tournament, row)
        seconds = time.process_time() - began
        if row.give_back(**fields, mark=mark, at=at, seconds=seconds, asked=None, tries=0):
            return True
    except TakenOver:
        pass
    except KeyboardInterrupt:  # this process is to end
        row.give_back()
        raise
    log.warning("The %s of %s took too long to create.", kind.name, tournament.slug)
    return False
