"""Which of the waiting matches are played next: workers are shared out fairly.

Higher priority comes first. Within a priority the next match goes to the organizer of whom the
fewest matches are being played, then to the tournament with the fewest, so that a huge tournament
or somebody with many does not keep the others waiting; equals take turns. Within a tournament the
oldest match comes first. An author of whose bots too many matches are being played already
(`settings.MAX_PLAYING_PER_AUTHOR`) waits until some of them are finished.

One query finds the first waiting match of every running tournament, each by one look into the
index `match_share`; how many matches wait behind it makes no difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from tournaments.models import Attempt, Match, Seat, Tournament

LATELY = 64
"""Attempts looked back at to tell whose turn it is among equals."""
LOOK = 200
"""Waiting matches of a tournament looked at for one whose authors may play more."""


@dataclass(frozen=True, slots=True)
class _Queue:
    """The waiting matches of one tournament that have its highest priority."""

    tournament: int
    organizer: int | None
    priority: int
    first: int
    """Primary key of the oldest."""


class _Load:
    """How much of each organizer and tournament is being played, and was lately."""

    def __init__(self) -> None:
        running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
        self.playing = _counted(running)
        self.lately = _counted(Attempt.objects.filter(pk__gt=_newest() - LATELY))

    def key(self, queue: _Queue) -> tuple[int, ...]:
        """Whose turn it is: the smallest."""
        one, all_ = ("tournament", queue.tournament), ("organizer", queue.organizer)
        playing, lately = self.playing, self.lately
        return playing[all_], playing[one], lately[all_], lately[one], queue.first

    def add(self, queue: _Queue) -> None:
        """One match more is being played."""
        for each in (("tournament", queue.tournament), ("organizer", queue.organizer)):
            self.playing[each] += 1
            self.lately[each] += 1


def pick(limit: int, *, house_only: bool = False) -> list[Match]:
    """Up to `limit` waiting matches to be played next, locked; none that another is taking.

    `house_only`: leave matches with users' bots to others.
    """
    queues = _queues()
    if not queues:
        return []
    load, blocked = _Load(), authors_at_their_limit()
    found: list[Match] = []
    while queues and len(found) < limit:
        top = max(queue.priority for queue in queues)
        shares = _shared_out([q for q in queues if q.priority == top], limit - len(found), load)
        for queue, share in shares.items():
            taken = _take(queue, share, found, blocked, house_only=house_only)
            found += taken
            if len(taken) < share:
                queues.remove(queue)
    return found


def authors_at_their_limit() -> list[int]:
    """Users of whose bots as many matches are being played as one may have."""
    limit = settings.MAX_PLAYING_PER_AUTHOR
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    keys = list(running.order_by().values_list("match", flat=True))
    seats = Seat.objects.filter(match__in=keys, version__bot__owner__isnull=False)
    counted = seats.values("version__bot__owner").annotate(matches=Count("match", distinct=True))
    full = counted.filter(matches__gte=limit).order_by()
    return list(full.values_list("version__bot__owner", flat=True))


def _queues() -> list[_Queue]:
    waiting = Match.objects.filter(tournament=OuterRef("pk"), state=Match.State.WAITING)
    first = waiting.order_by("-priority", "pk")
    running = Tournament.objects.filter(state=Tournament.State.RUNNING)
    rows = running.order_by().annotate(
        first=Subquery(first.values("pk")[:1]), top=Subquery(first.values("priority")[:1])
    )
    values = rows.values_list("pk", "organizer", "top", "first")
    return [_Queue(*row) for row in values if row[3] is not None]


def _shared_out(queues: list[_Queue], wanted: int, load: _Load) -> dict[_Queue, int]:
    """How many each queue is to give, as if there were enough in all of them."""
    shares: dict[_Queue, int] = {}
    for _ in range(wanted):
        queue = min(queues, key=load.key)
        shares[queue] = shares.get(queue, 0) + 1
        load.add(queue)
    return shares


def _take(
    queue: _Queue, share: int, found: list[Match], blocked: list[int], *, house_only: bool
) -> list[Match]:
    """The oldest of a queue, without those that are locked or may not be played now."""
    waiting = Match.objects.filter(
        tournament=queue.tournament, state=Match.State.WAITING, priority=queue.priority
    ).order_by("-priority", "pk")
    if found:
        waiting = waiting.exclude(pk__in=[match.pk for match in found])
    seats = Seat.objects.filter(match=OuterRef("pk"))
    if house_only:
        waiting = waiting.exclude(Exists(seats.filter(version__bot__owner__isnull=False)))
    if blocked:
        # However many wait: only the oldest are looked at.
        oldest = list(waiting.values_list("pk", flat=True)[:LOOK])
        theirs = seats.filter(version__bot__owner__in=blocked)
        waiting = waiting.filter(pk__in=oldest).exclude(Exists(theirs))
    return list(waiting.select_for_update(skip_locked=True)[:share])


def _counted(attempts: QuerySet[Attempt]) -> Counter[tuple[str, int | None]]:
    counts: Counter[tuple[str, int | None]] = Counter()
    # In two steps: SQLite would begin a join with the tournaments and look at all their matches.
    keys = list(attempts.order_by().values_list("match", flat=True))
    organizers = dict(Tournament.objects.order_by().values_list("pk", "organizer"))
    rows = Match.objects.filter(pk__in=keys).order_by().values_list("pk", "tournament")
    of_match = dict(rows)
    for tournament in map(of_match.__getitem__, keys):
        organizer = organizers.get(tournament)
        counts["tournament", tournament] += 1
        counts["organizer", organizer] += 1
    return counts


def _newest() -> int:
    return Attempt.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
