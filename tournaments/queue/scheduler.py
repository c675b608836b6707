"""Choose the next matches, sharing the workers fairly.

Higher priority comes first. Within a priority the next match goes to the organizer with the fewest
running matches, then to the tournament with the fewest; equals take turns. So neither a huge
tournament nor an organizer with many tournaments keeps others waiting. Within a tournament the
oldest match comes first; of a new round, those of slow bots are the oldest. Bots of an author with
too many running matches (`settings.MAX_PLAYING_PER_AUTHOR`) wait until some are finished, and
quarantined bots until their release. A match that failed waits for a while before it is tried
again.

One query finds the first waiting match of every running tournament, with one lookup each in the
index `match_share`, however many matches wait. Workers call this often, so the SQL is cached:
Django takes longer to build it than the database to answer it.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from bots.models import Bot
from cardroom_base.db.db_time import Now
from tournaments.models import Attempt, Match, Seat, Tournament

RECENT_ATTEMPTS = 64
"""Number of past attempts that decide whose turn it is among equals."""
DUE = Q(not_before=None) | Q(not_before__lte=Now())
"""The condition that a waiting match may be played now: the pause after its last failure, if it
failed, is over."""
MAX_SEARCHED = 200
"""Number of a queue's oldest waiting matches that are examined if some may be refused."""


@dataclass(frozen=True, slots=True)
class _Queue:
    """The waiting matches of one tournament that have its highest priority."""

    tournament: int
    organizer: int | None
    priority: int
    first: int
    """Primary key of the oldest match."""


class _Load:
    """Running and recent attempts by organizer and tournament."""

    def __init__(self) -> None:
        self.playing: Counter[tuple[str, int | None]] = Counter()
        """Running attempts by (`tournament` or `organizer`, primary key)."""
        self.recent: Counter[tuple[str, int | None]] = Counter()
        """By the same keys: attempts among the last `RECENT_ATTEMPTS`."""
        self.running = 0
        """Number of running attempts."""
        self.quarantined: list[int] = []
        """Quarantined bots."""
        for key, organizer, kind in _rows(_LOAD, (RECENT_ATTEMPTS,)):
            if kind == _QUARANTINED:
                self.quarantined.append(key)
                continue
            counter = self.playing if kind else self.recent
            counter["tournament", key] += 1
            counter["organizer", organizer] += 1
            self.running += kind

    def key(self, queue: _Queue) -> tuple[int, ...]:
        """The queue with the smallest key is next."""
        tournament_key, organizer_key = (
            ("tournament", queue.tournament),
            ("organizer", queue.organizer),
        )
        playing, recent = self.playing, self.recent
        return (
            playing[organizer_key],
            playing[tournament_key],
            recent[organizer_key],
            recent[tournament_key],
            queue.first,
        )

    def add(self, queue: _Queue) -> None:
        """Count one more running match."""
        for key in (("tournament", queue.tournament), ("organizer", queue.organizer)):
            self.playing[key] += 1
            self.recent[key] += 1


def pick(
    limit: int,
    rules: tuple[str, ...],
    *,
    house_only: bool = False,
    missing_libraries: Sequence[str] = (),
) -> list[Match]:
    """The next waiting matches, at most `limit`, locked; skips matches that are already locked.

    `rules`: the worker's editions; tournaments under other rules are skipped. `house_only`: skip
    matches with users' bots. `missing_libraries`: skip matches with bots that need one of these.
    """
    queues = _queues(rules)
    if not queues:
        return []
    load = _Load()
    # An author can be at the limit only if at least that many attempts are running.
    limit_possible = load.running >= settings.MAX_PLAYING_PER_AUTHOR
    blocked_authors = authors_at_their_limit() if limit_possible else []
    # A match is skipped if any of these conditions holds for one of its seats.
    refusals = [Q(version__needs__contains=name) for name in missing_libraries]
    if house_only:
        refusals.append(Q(version__bot__owner__isnull=False))
    if blocked_authors:
        refusals.append(Q(version__bot__owner__in=blocked_authors))
    matches: list[Match] = []
    while queues and len(matches) < limit:
        top_priority = max(queue.priority for queue in queues)
        top_queues = [queue for queue in queues if queue.priority == top_priority]
        shares = _share_out(top_queues, limit - len(matches), load)
        unrestricted = not (matches or refusals or load.quarantined)
        first_matches = _lock_first_matches(shares) if unrestricted else {}
        for queue, share in shares.items():
            locked = [first_matches[queue.first]] if queue.first in first_matches else []
            if not locked:
                locked = _lock_oldest(queue, share, matches, refusals, load.quarantined)
            matches += locked
            if len(locked) < share:
                queues.remove(queue)
    return matches


def has_due_match(rules: tuple[str, ...]) -> bool:
    """Whether a match is due for a worker with these rules."""
    queues = _queues(rules)
    bots = quarantined_bots() if queues else []
    if not bots:
        return bool(queues)
    return any(
        _matches_without(bots, _waiting_matches(queue.tournament, queue.priority)).exists()
        for queue in queues
    )


def quarantined_bots() -> list[int]:
    """Bots that must not play."""
    return list(Bot.objects.filter(quarantined__isnull=False).values_list("pk", flat=True))


def _matches_without(bots: Sequence[int], matches: QuerySet[Match]) -> QuerySet[Match]:
    """The matches without a seat of these bots."""
    return matches.exclude(Exists(Seat.objects.filter(match=OuterRef("pk"), version__bot__in=bots)))


def authors_at_their_limit() -> list[int]:
    """Users whose bots are in `MAX_PLAYING_PER_AUTHOR` running matches or more."""
    limit = settings.MAX_PLAYING_PER_AUTHOR
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    keys = list(running.order_by().values_list("match", flat=True))
    seats = Seat.objects.filter(match__in=keys, version__bot__owner__isnull=False)
    match_counts = seats.values("version__bot__owner").annotate(
        matches=Count("match", distinct=True)
    )
    at_limit = match_counts.filter(matches__gte=limit).order_by()
    return list(at_limit.values_list("version__bot__owner", flat=True))


def _queues(rules: tuple[str, ...]) -> list[_Queue]:
    return [_Queue(*row) for row in _rows(*_queues_sql(rules)) if row[3] is not None]


@cache
def _queues_sql(rules: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    """For each running tournament under these rules: key, organizer, priority and key of its first
    match. Includes tournaments that started before rules had versions."""
    waiting = Match.objects.filter(DUE, tournament=OuterRef("pk"), state=Match.State.WAITING)
    first = waiting.order_by("-priority", "pk")
    running = Tournament.objects.filter(state=Tournament.State.RUNNING, rules__in=(*rules, ""))
    rows = running.order_by().annotate(
        first=Subquery(first.values("pk")[:1]), top=Subquery(first.values("priority")[:1])
    )
    return rows.values_list("pk", "organizer", "top", "first").query.sql_with_params()


_QUARANTINED = 2
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
 UNION ALL
SELECT id, NULL, 2 FROM bots_bot WHERE quarantined IS NOT NULL
"""
"""Rows (tournament, organizer, 1) for each running attempt, (…, 0) for each of the latest, and
(bot, null, `_QUARANTINED`) for each quarantined bot.

Cross joins fix SQLite's join order; otherwise it would begin with the tournaments and read all
their matches.
"""


def _rows(sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _share_out(queues: list[_Queue], limit: int, load: _Load) -> dict[_Queue, int]:
    """The number of matches to take from each queue, assuming that all have enough."""
    shares: dict[_Queue, int] = {}
    # Keys only grow, so the heap's first queue is next if its key has not changed.
    heap = [(load.key(queue), queue) for queue in queues]
    heapq.heapify(heap)
    while limit:
        key, queue = heap[0]
        if (newer := load.key(queue)) == key:
            shares[queue] = shares.get(queue, 0) + 1
            load.add(queue)
            limit -= 1
            newer = load.key(queue)
        heapq.heapreplace(heap, (newer, queue))
    return shares


def _lock_first_matches(shares: dict[_Queue, int]) -> dict[int, Match]:
    """The first match of each queue whose share is one, by primary key; skips locked ones.

    With many tournaments most shares are one, so this saves a query for each. Empty if fewer than
    two shares are one; `_lock_oldest` handles that as well.
    """
    keys = [queue.first for queue, share in shares.items() if share == 1]
    if len(keys) < 2:
        return {}
    waiting = Match.objects.filter(DUE, pk__in=keys, state=Match.State.WAITING).order_by()
    unlocked = waiting.only(*_CLAIM_FIELDS).select_for_update(skip_locked=True)
    return {match.pk: match for match in unlocked}


def _lock_oldest(
    queue: _Queue,
    share: int,
    earlier_matches: list[Match],
    refusals: list[Q],
    quarantined: Sequence[int],
) -> list[Match]:
    """The oldest matches of a queue that are neither locked nor refused now."""
    earlier_matches = [
        match for match in earlier_matches if match.tournament_id == queue.tournament
    ]
    if not (earlier_matches or refusals or quarantined):
        sql, parameters = _oldest_sql(share)
        values = {_TOURNAMENT: queue.tournament, _PRIORITY: queue.priority}
        return list(
            Match.objects.raw(sql, [values.get(parameter, parameter) for parameter in parameters])
        )
    waiting = _waiting_matches(queue.tournament, queue.priority)
    if earlier_matches:
        waiting = waiting.exclude(pk__in=[match.pk for match in earlier_matches])
    if quarantined:  # before the limit below: these may be the oldest for days
        waiting = _matches_without(quarantined, waiting)
    seats = Seat.objects.filter(match=OuterRef("pk"))
    if refusals:
        # Search only the oldest, however many wait.
        oldest = list(waiting.values_list("pk", flat=True)[:MAX_SEARCHED])
        waiting = waiting.filter(pk__in=oldest)
        for condition in refusals:
            waiting = waiting.exclude(Exists(seats.filter(condition)))
    return list(waiting.select_for_update(skip_locked=True)[:share])


def _waiting_matches(tournament: int, priority: int) -> QuerySet[Match]:
    """The waiting matches of a queue, oldest first."""
    waiting = Match.objects.filter(
        DUE, tournament=tournament, state=Match.State.WAITING, priority=priority
    )
    return waiting.only(*_CLAIM_FIELDS).order_by("-priority", "pk")


_CLAIM_FIELDS = ("tournament", "format")
"""Fields of a match that a claim needs."""
_TOURNAMENT, _PRIORITY = -1, -2
"""Placeholders in cached SQL; `_lock_oldest` replaces them by values of a queue."""


@cache
def _oldest_sql(share: int) -> tuple[str, tuple[Any, ...]]:
    """SQL for the oldest `share` matches of a queue, locked; skips locked ones."""
    oldest = _waiting_matches(_TOURNAMENT, _PRIORITY).select_for_update(skip_locked=True)[:share]
    return oldest.query.sql_with_params()
