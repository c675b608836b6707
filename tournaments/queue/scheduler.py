"""Choose the next matches, sharing the workers fairly.

Higher priority comes first. Within a priority the next match goes to the organizer with the fewest
running matches, then to the tournament with the fewest; equals take turns. So neither a huge
tournament nor an organizer with many tournaments keeps others waiting. Within a tournament the
oldest match comes first; of a new round, those of slow bots are the oldest. Bots of an author with
too many running matches (`settings.MAX_PLAYING_PER_AUTHOR`) wait until some are finished, and
quarantined bots until their release. A match that failed waits for a while before it is tried
again. A match also waits while another process plays a match with the same cards: bots of two
matches at the same time could tell each other their hands by timing (SECURITY.md).

One query finds the first waiting match of every running tournament, with one lookup each in the
index `match_share`, however many matches wait. Workers call this often, so the SQL is cached:
Django takes longer to build it than the database to answer it.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from bots.models import Bot
from cardroom_base.db.db_time import Now
from tournaments.models import Attempt, DealGroup, Match, Seat, Tournament

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

    def __init__(self, worker: str) -> None:
        """worker: the process that claims."""
        self.playing: Counter[tuple[str, int | None]] = Counter()
        """Running attempts by (`tournament` or `organizer`, primary key)."""
        self.recent: Counter[tuple[str, int | None]] = Counter()
        """By the same keys: attempts among the last `RECENT_ATTEMPTS`."""
        self.running = 0
        """Number of running attempts."""
        self.quarantined: list[int] = []
        """Quarantined bots."""
        self.groups: set[int] = set()
        """Deal groups of which another process plays a match."""
        for key, organizer, kind, group, player in _rows(_LOAD, (RECENT_ATTEMPTS,)):
            if kind == _QUARANTINED:
                self.quarantined.append(key)
                continue
            if kind and player != worker:
                self.groups.add(group)
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
    worker: str = "",
    house_only: bool = False,
    missing_libraries: Sequence[str] = (),
    other_groups: Collection[int] = (),
) -> list[Match]:
    """The next waiting matches, at most `limit`, locked; skips matches that are already locked.

    `rules`: the worker's editions; tournaments under other rules are skipped. `worker`: the process
    that claims. `house_only`: skip matches with users' bots. `missing_libraries`: skip matches with
    bots that need one of these. `other_groups`: skip matches of these deal groups.
    """
    load = _Load(worker)
    groups = tuple(sorted(load.groups.union(other_groups)))
    queues = _queues(rules, groups)
    if not queues:
        return []
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
                locked = _lock_oldest(queue, share, matches, refusals, load.quarantined, groups)
            matches += locked
            if len(locked) < share:
                queues.remove(queue)
    return matches


def has_due_match(rules: tuple[str, ...]) -> bool:
    """Whether a match is due for a worker with these rules."""
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).order_by()
    groups = tuple(sorted(set(running.values_list("match__deal_group", flat=True))))
    queues = _queues(rules, groups)
    bots = quarantined_bots() if queues else []
    if not bots:
        return bool(queues)
    return any(
        _matches_without(bots, _waiting_matches(queue.tournament, queue.priority, groups)).exists()
        for queue in queues
    )


def lock_groups(matches: Iterable[Match]) -> set[int]:
    """Lock the deal groups of these matches; return those that no other process is claiming.

    Otherwise two processes could pick two matches of a group at the same time.
    """
    keys = {match.deal_group_id for match in matches}
    if not connection.features.has_select_for_update_skip_locked:
        return keys  # SQLite runs one claim at a time
    groups = DealGroup.objects.filter(pk__in=keys).order_by()
    return set(groups.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))


def quarantined_bots() -> list[int]:
    """Bots that must not play."""
    return list(Bot.objects.filter(quarantined__isnull=False).values_list("pk", flat=True))


def seats_in_quarantine() -> QuerySet[Seat]:
    """The seats of quarantined bots, in matches of any state."""
    return Seat.objects.filter(version__bot__quarantined__isnull=False)


def due_matches() -> QuerySet[Match]:
    """The waiting matches that may be played now, under any rules."""
    matches = Match.objects.filter(DUE, state=Match.State.WAITING)
    bots = quarantined_bots()
    return _matches_without(bots, matches) if bots else matches


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


def _queues(rules: tuple[str, ...], groups: tuple[int, ...]) -> list[_Queue]:
    """The queues of waiting matches, without those of these deal groups."""
    sql, parameters = _queues_sql(rules, len(groups))
    rows = _rows(sql, _filled_in(parameters, _placeholders(groups)))
    return [_Queue(*row) for row in rows if row[3] is not None]


@cache
def _queues_sql(rules: tuple[str, ...], groups: int) -> tuple[str, tuple[Any, ...]]:
    """For each running tournament under these rules: key, organizer, priority and key of its first
    match. Includes tournaments that started before rules had versions. `groups`: the number of deal
    groups to leave out."""
    waiting = Match.objects.filter(DUE, tournament=OuterRef("pk"), state=Match.State.WAITING)
    waiting = _outside(waiting, tuple(_placeholders(range(groups))))
    first = waiting.order_by("-priority", "pk")
    running = Tournament.objects.filter(state=Tournament.State.RUNNING, rules__in=(*rules, ""))
    rows = running.order_by().annotate(
        first=Subquery(first.values("pk")[:1]), top=Subquery(first.values("priority")[:1])
    )
    return rows.values_list("pk", "organizer", "top", "first").query.sql_with_params()


_QUARANTINED = 2
_LOAD = """
WITH latest AS (SELECT match_id FROM tournaments_attempt ORDER BY id DESC LIMIT %s)
SELECT match.tournament_id, tournament.organizer_id, 1, match.deal_group_id, attempt.worker
  FROM tournaments_attempt AS attempt
 CROSS JOIN tournaments_match AS match
 CROSS JOIN tournaments_tournament AS tournament
 WHERE attempt.outcome = 'running'
   AND match.id = attempt.match_id AND tournament.id = match.tournament_id
 UNION ALL
SELECT match.tournament_id, tournament.organizer_id, 0, NULL, NULL
  FROM latest
 CROSS JOIN tournaments_match AS match
 CROSS JOIN tournaments_tournament AS tournament
 WHERE match.id = latest.match_id AND tournament.id = match.tournament_id
 UNION ALL
SELECT id, NULL, 2, NULL, NULL FROM bots_bot WHERE quarantined IS NOT NULL
"""
"""Rows (tournament, organizer, 1, deal group, process) for each running attempt, (…, 0, null, null)
for each of the latest, and (bot, null, `_QUARANTINED`, null, null) for each quarantined bot.

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
    groups: tuple[int, ...],
) -> list[Match]:
    """The oldest matches of a queue that are neither locked nor refused now."""
    earlier_matches = [
        match for match in earlier_matches if match.tournament_id == queue.tournament
    ]
    if not (earlier_matches or refusals or quarantined):
        sql, parameters = _oldest_sql(share, len(groups))
        values = {_TOURNAMENT: queue.tournament, _PRIORITY: queue.priority, **_placeholders(groups)}
        return list(Match.objects.raw(sql, _filled_in(parameters, values)))
    waiting = _waiting_matches(queue.tournament, queue.priority, groups)
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


def _waiting_matches(tournament: int, priority: int, groups: tuple[int, ...]) -> QuerySet[Match]:
    """The waiting matches of a queue, oldest first, without those of these deal groups."""
    waiting = Match.objects.filter(
        DUE, tournament=tournament, state=Match.State.WAITING, priority=priority
    )
    return _outside(waiting, groups).only(*_CLAIM_FIELDS).order_by("-priority", "pk")


def _outside(matches: QuerySet[Match], groups: tuple[int, ...]) -> QuerySet[Match]:
    return matches.exclude(deal_group__in=groups) if groups else matches


_CLAIM_FIELDS = ("tournament", "format", "deal_group")
"""Fields of a match that a claim needs."""
_TOURNAMENT, _PRIORITY, _FIRST_GROUP = -1, -2, -3
"""Placeholders in cached SQL; those of deal groups are `_FIRST_GROUP` and lower numbers."""


def _placeholders(groups: Sequence[int]) -> dict[int, int]:
    """The placeholder of each deal group → the group."""
    return {_FIRST_GROUP - place: group for place, group in enumerate(groups)}


def _filled_in(parameters: tuple[Any, ...], values: dict[int, int]) -> tuple[Any, ...]:
    """The parameters of cached SQL, with values instead of placeholders."""
    return tuple(values.get(parameter, parameter) for parameter in parameters)


@cache
def _oldest_sql(share: int, groups: int) -> tuple[str, tuple[Any, ...]]:
    """SQL for the oldest `share` matches of a queue, locked; skips locked ones. `groups`: the
    number of deal groups to leave out."""
    placeholders = tuple(_placeholders(range(groups)))
    oldest = _waiting_matches(_TOURNAMENT, _PRIORITY, placeholders)
    return oldest.select_for_update(skip_locked=True)[:share].query.sql_with_params()
