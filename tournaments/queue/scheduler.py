"""Which of the waiting matches are played next: workers are shared out fairly.

Higher priority comes first. Within a priority the next match goes to the organizer with the fewest
matches being played, then to the tournament with the fewest, so that a huge tournament, or an
organizer with many, does not keep the others waiting; equals take turns. Within a tournament the
oldest match comes first. An author whose bots are already in too many matches being played
(`settings.MAX_PLAYING_PER_AUTHOR`) waits until some of them are finished. A match that failed rests
for a moment first.

One query finds the first waiting match of every running tournament, each by one look into the
index `match_share`; how many matches wait behind it makes no difference. Workers ask often, so the
queries that say who is next are kept as SQL: building one takes Django longer than the database
takes to answer it.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from cardroom_base.db.db_time import Now
from tournaments.models import Attempt, Match, Seat, Tournament

LATELY = 64
"""How many past attempts decide whose turn it is among equals."""
DUE = Q(not_before=None) | Q(not_before__lte=Now())
"""The condition that a waiting match is not resting after a failure."""
LOOK = 200
"""How many waiting matches of a tournament are searched for one that may be played here now."""


@dataclass(frozen=True, slots=True)
class _Queue:
    """The waiting matches of one tournament that have its highest priority."""

    tournament: int
    organizer: int | None
    priority: int
    first: int
    """Primary key of the oldest match."""


class _Load:
    """How much of each organizer and tournament is being played, or was recently."""

    def __init__(self) -> None:
        self.playing: Counter[tuple[str, int | None]] = Counter()
        self.lately: Counter[tuple[str, int | None]] = Counter()
        self.running = 0
        """Attempts that run now."""
        for tournament, organizer, running in _rows(_LOAD, (LATELY,)):
            counted = self.playing if running else self.lately
            counted["tournament", tournament] += 1
            counted["organizer", organizer] += 1
            self.running += running

    def key(self, queue: _Queue) -> tuple[int, ...]:
        """The smallest key has its turn."""
        one, all_ = ("tournament", queue.tournament), ("organizer", queue.organizer)
        playing, lately = self.playing, self.lately
        return playing[all_], playing[one], lately[all_], lately[one], queue.first

    def add(self, queue: _Queue) -> None:
        """One more match is being played."""
        for each in (("tournament", queue.tournament), ("organizer", queue.organizer)):
            self.playing[each] += 1
            self.lately[each] += 1


def pick(limit: int, rules: tuple[str, ...], *, house_only: bool = False) -> list[Match]:
    """Up to `limit` waiting matches to play next, locked; none that another worker is taking.

    `rules`: editions of rules; tournaments that are played by others are left alone. `house_only`:
    leave matches with users' bots to others.
    """
    queues = _queues(rules)
    if not queues:
        return []
    load = _Load()
    # With fewer attempts than one author may have, nobody can have too many.
    full = load.running >= settings.MAX_PLAYING_PER_AUTHOR
    blocked = authors_at_their_limit() if full else []
    matches: list[Match] = []
    while queues and len(matches) < limit:
        top = max(queue.priority for queue in queues)
        shares = _shared_out([q for q in queues if q.priority == top], limit - len(matches), load)
        firsts = {} if matches or blocked or house_only else _take_firsts(shares)
        for queue, share in shares.items():
            taken = [firsts[queue.first]] if queue.first in firsts else []
            if not taken:
                taken = _take(queue, share, matches, blocked, house_only=house_only)
            matches += taken
            if len(taken) < share:
                queues.remove(queue)
    return matches


def waiting(rules: tuple[str, ...]) -> bool:
    """Whether a match is waiting and due, for a worker with these rules."""
    return bool(_queues(rules))


def authors_at_their_limit() -> list[int]:
    """Users whose bots are in as many matches being played as one author may have."""
    limit = settings.MAX_PLAYING_PER_AUTHOR
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    keys = list(running.order_by().values_list("match", flat=True))
    seats = Seat.objects.filter(match__in=keys, version__bot__owner__isnull=False)
    counted = seats.values("version__bot__owner").annotate(matches=Count("match", distinct=True))
    full = counted.filter(matches__gte=limit).order_by()
    return list(full.values_list("version__bot__owner", flat=True))


def _queues(rules: tuple[str, ...]) -> list[_Queue]:
    return [_Queue(*row) for row in _rows(*_queues_sql(rules)) if row[3] is not None]


@cache
def _queues_sql(rules: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    """For each running tournament its key, its organizer, and its first match with its priority.

    Only tournaments played by these rules, or started before rules had versions.
    """
    waiting = Match.objects.filter(DUE, tournament=OuterRef("pk"), state=Match.State.WAITING)
    first = waiting.order_by("-priority", "pk")
    running = Tournament.objects.filter(state=Tournament.State.RUNNING, rules__in=(*rules, ""))
    rows = running.order_by().annotate(
        first=Subquery(first.values("pk")[:1]), top=Subquery(first.values("priority")[:1])
    )
    return rows.values_list("pk", "organizer", "top", "first").query.sql_with_params()


_LOAD = """
WITH latest AS (SELECT match_id FROM tournaments_attempt ORDER BY id DESC LIMIT %s)
SELECT match.tournament_id, tournament.organizer_id, 1
  FROM tournaments_attempt AS attempt
 CROSS JOIN tournaments_match AS match
 CROSS JOIN tournaments_tournament AS tournament
 WHERE attempt.outcome = 'running'
   AND match.id = attempt.match_id AND tournament.id = match.tournament_id
 UNION ALL
SELECT match.tournament_id, tournament.organizer_id, 0
  FROM latest
 CROSS JOIN tournaments_match AS match
 CROSS JOIN tournaments_tournament AS tournament
 WHERE match.id = latest.match_id AND tournament.id = match.tournament_id
"""
"""Tournament and organizer of each running attempt (1), and of each of the latest (0).

A cross join tells SQLite in which order to look things up; left to itself it would begin with the
tournaments and read all their matches.
"""


def _rows(sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _shared_out(queues: list[_Queue], wanted: int, load: _Load) -> dict[_Queue, int]:
    """How many each queue should give, supposing that all have enough."""
    shares: dict[_Queue, int] = {}
    # Keys only grow, so the first of the heap is the next one if its key still holds.
    heap = [(load.key(queue), queue) for queue in queues]
    heapq.heapify(heap)
    while wanted:
        key, queue = heap[0]
        if (newer := load.key(queue)) == key:
            shares[queue] = shares.get(queue, 0) + 1
            load.add(queue)
            wanted -= 1
            newer = load.key(queue)
        heapq.heapreplace(heap, (newer, queue))
    return shares


def _take_firsts(shares: dict[_Queue, int]) -> dict[int, Match]:
    """The oldest of each queue that should give one, by primary key; none that is locked.

    One query for all of them: among many tournaments hardly any has to give two.
    """
    firsts = [queue.first for queue, share in shares.items() if share == 1]
    if len(firsts) < 2:
        return {}
    waiting = Match.objects.filter(DUE, pk__in=firsts, state=Match.State.WAITING).order_by()
    free = waiting.only(*_TAKEN).select_for_update(skip_locked=True)
    return {match.pk: match for match in free}


def _take(
    queue: _Queue, share: int, found: list[Match], blocked: list[int], *, house_only: bool
) -> list[Match]:
    """The oldest of a queue, without those that are locked or may not be played now."""
    found = [match for match in found if match.tournament_id == queue.tournament]
    if not (found or blocked or house_only):
        sql, parameters = _oldest_sql(share)
        own = {_TOURNAMENT: queue.tournament, _PRIORITY: queue.priority}
        return list(
            Match.objects.raw(sql, [own.get(parameter, parameter) for parameter in parameters])
        )
    waiting = _waiting(queue.tournament, queue.priority)
    if found:
        waiting = waiting.exclude(pk__in=[match.pk for match in found])
    theirs = Seat.objects.filter(match=OuterRef("pk"))
    refused = []
    if house_only:
        refused.append(Exists(theirs.filter(version__bot__owner__isnull=False)))
    if blocked:
        refused.append(Exists(theirs.filter(version__bot__owner__in=blocked)))
    if refused:
        # However many wait: only the oldest are looked at.
        oldest = list(waiting.values_list("pk", flat=True)[:LOOK])
        waiting = waiting.filter(pk__in=oldest)
        for why in refused:
            waiting = waiting.exclude(why)
    return list(waiting.select_for_update(skip_locked=True)[:share])


def _waiting(tournament: int, priority: int) -> QuerySet[Match]:
    """What waits in a queue, the oldest first."""
    waiting = Match.objects.filter(
        DUE, tournament=tournament, state=Match.State.WAITING, priority=priority
    )
    return waiting.only(*_TAKEN).order_by("-priority", "pk")


_TAKEN = ("tournament", "format")
"""All that a claim needs to know about a match."""
_TOURNAMENT, _PRIORITY = -1, -2
"""Parameters that stand for a queue's."""


@cache
def _oldest_sql(share: int) -> tuple[str, tuple[Any, ...]]:
    """So many of the oldest of a queue, locked; without those that are locked already."""
    oldest = _waiting(_TOURNAMENT, _PRIORITY).select_for_update(skip_locked=True)[:share]
    return oldest.query.sql_with_params()
