"""Why something waits, and about how long: for people who look at a queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, OuterRef, QuerySet, Subquery

from bots import isolation_summary
from bots.actions import CHECK_TASK
from bots.models import BotVersion, Check, WorkerNode
from cardroom_base.core import backoff
from cardroom_base.db import outbox, schema
from cardroom_base.db.db_time import Now, now
from engine import registry
from engine.declarations import listed
from engine.rules import version_of
from tournaments.models import Attempt, Match, RulesInForce, Seat, Tournament
from tournaments.queue.messages import PLAY_TASK
from tournaments.queue.scheduler import DUE, authors_at_their_limit

WINDOW = timedelta(minutes=5)
"""Time over which the pace of matches is measured."""

PATIENCE = timedelta(seconds=15)
"""A message unsent for so long shows that the broker is away; every message waits a moment."""

STALLED = (
    "It could not be moved on; the site tries again every ten seconds. "
    "Its organizer and the site's staff see why."
)
FAILED = (Attempt.Outcome.FAILED, Attempt.Outcome.LOST)
"""Outcomes of attempts whose cause an organizer should know."""

SAMPLE = 500
"""How many of the last matches give the pace."""


@dataclass(frozen=True, slots=True)
class Wait:
    """What a tournament waits for."""

    waiting: int
    """Matches that no worker has yet."""

    seconds: float | None
    """Until they are played, at the site's pace and with fair sharing; None if unknown."""

    reason: str
    """A sentence for people; empty where nothing waits."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides why matches wait."""

    waiting: int
    playing: int
    workers: int
    unheard: bool = False
    """Whether messages for workers could not be sent."""

    blocked: int = 0
    """Authors whose bots are in as many matches being played as one author may have."""

    drained: int = 0
    """Workers that are running but were told to take no work."""

    ill: int = 0
    """Processes of workers that found themselves unable to play; `workers` are the others."""

    resting: int = 0
    """How many of the waiting matches rest after a failure."""

    misfit: str = ""
    """Why no worker may touch the database, in words; empty where one may."""

    rules: str = ""
    """Why no worker may play a tournament, in words; empty where one may."""


def reason(facts: Facts) -> str:
    """Why matches wait, in a sentence or two; empty if none does. Pure."""
    if not facts.waiting:
        return ""
    if trouble := _trouble(facts, "the matches"):
        return trouble
    if facts.resting == facts.waiting:
        return (
            "Playing has failed through no bot's fault; after a rest, longer each time, "
            "it is tried again, on another machine where there is one."
        )
    if facts.blocked and facts.playing:
        who = "an author" if facts.blocked == 1 else f"{facts.blocked} authors"
        return (
            f"Bots of {who} are in as many matches being played as one author may have; "
            "further ones wait until some of them are finished."
        )
    return _busy(facts) or "Workers are taking them now."


def check_reason(before: int, facts: Facts) -> str:
    """Why the check of an upload waits, with so many others before it. Pure."""
    if trouble := _trouble(facts, "the upload"):
        return trouble
    if before:
        return f"{'One other check comes' if before == 1 else f'{before} other checks come'} first."
    return _busy(facts) or "A worker takes it now."


def _trouble(facts: Facts, what: str) -> str:
    """What keeps everything from being played; empty if nothing does."""
    if not facts.playing and facts.unheard:
        return (
            f"The message broker cannot be reached, so workers do not hear of {what}; "
            "they look by themselves every few seconds. If none begins, the site's staff must look."
        )
    if not facts.workers and facts.ill:
        return (
            "All workers found that they cannot play bots now. They test themselves, and go on by "
            "themselves once they are well; the site's staff can see what is wrong."
        )
    if not facts.workers and facts.drained:
        return "All workers were told to take no work; the site's staff must resume one."
    if not facts.workers:
        return (
            "No worker has shown up for five minutes. If none is being started, the site's staff "
            "must start one."
        )
    return facts.misfit or facts.rules


def _busy(facts: Facts) -> str:
    if facts.playing < facts.workers:
        return ""
    busy = "The worker is" if facts.workers == 1 else f"All {facts.workers} workers are"
    count = "a match" if facts.playing == 1 else f"{facts.playing} matches"
    return f"{busy} busy, with {count}."


def shared_wait(own: int, priority: int, others: list[tuple[int, int]], pace: float) -> float:
    """Seconds until `own` matches are played. Pure.

    `others`: (waiting matches, priority) of each other tournament. Those of higher priority come
    first; with the same priority all get the same share, so each of them plays up to as many
    matches as `own` meanwhile. `pace`: matches a second.
    """
    before = sum(
        count if other > priority else min(count, own) if other == priority else 0
        for count, other in others
    )
    return (own + before) / pace


def rounded(seconds: float) -> float:
    """To a tenth of a second; never 0 for something that waits."""
    return max(0.1, round(seconds, 1))


def tournament_wait(tournament: Tournament, *, organizer: bool = False) -> Wait:
    """Why the matches of a tournament wait, and about how long; for its organizer with the cause
    where playing fails."""
    queues = _queues()
    own, priority = queues.pop(tournament.pk, (0, 0))
    if not own:
        stalled = tournament.trouble and tournament.state == Tournament.State.RUNNING
        return Wait(0, 0.0, STALLED if stalled else "")
    pace = pace_at_work()
    others = list(queues.values())
    seconds = rounded(shared_wait(own, priority, others, pace)) if pace else None
    blocked = authors_at_their_limit()
    theirs = Seat.objects.filter(match__tournament=tournament, version__bot__owner__in=blocked)
    nodes = isolation_summary.nodes()
    facts = site_facts(sum(count for count, _ in others) + own, nodes)
    limited = len(blocked) if blocked and theirs.exists() else 0
    rules = rules_missing(tournament, nodes)
    resting = own - _due(tournament)
    facts = replace(facts, waiting=own, blocked=limited, resting=resting, rules=rules)
    if facts.misfit or facts.rules:
        return Wait(own, None, reason(facts))
    parts = [reason(facts), _sharing(priority, others)]
    if organizer and (facts.resting or facts.ill):
        parts.append(_last_cause(tournament))
    return Wait(own, seconds, " ".join(filter(None, parts)))


def _due(tournament: Tournament) -> int:
    """How many of its matches wait and are not resting."""
    return tournament.matches.filter(DUE, state=Match.State.WAITING).count()


def _last_cause(tournament: Tournament) -> str:
    """Why the last attempt within the longest rest failed; empty if none did."""
    since = Now() - 2 * timedelta(seconds=backoff.LONGEST_SECONDS)
    failed = Attempt.objects.filter(
        match__tournament=tournament, outcome__in=FAILED, finished__gte=since
    )
    cause = failed.order_by("-finished").values_list("cause", flat=True).first()
    return f"The last failure: {cause.rstrip('.')}." if cause else ""


def check_wait(version: BotVersion) -> str:
    """Why the check of a version waits; empty if it does not."""
    if version.status != BotVersion.Status.QUEUED:
        return ""
    earlier = Check.objects.filter(finished__isnull=True, version__lt=version.pk)
    facts = replace(site_facts(1), unheard=outbox.unsent(CHECK_TASK, PATIENCE))
    return check_reason(earlier.count(), facts)


def _queues() -> dict[int, tuple[int, int]]:
    """For each tournament with waiting matches: how many, and their highest priority.

    By tournaments, because the index `match_share` leads from each to what waits in it alone.
    """
    waiting = Match.objects.filter(tournament=OuterRef("pk"), state=Match.State.WAITING)
    counted = waiting.order_by().values("tournament").annotate(count=Count("pk"))
    running = Tournament.objects.filter(state=Tournament.State.RUNNING)
    rows = running.order_by().annotate(
        count=Subquery(counted.values("count")),
        top=Subquery(waiting.order_by("-priority", "pk").values("priority")[:1]),
    )
    return {pk: (count, top) for pk, count, top in rows.values_list("pk", "count", "top") if count}


def site_facts(waiting: int, nodes: Sequence[WorkerNode] | None = None) -> Facts:
    """The facts of the whole site, with so many matches waiting; `nodes`: its workers, if known."""
    nodes = isolation_summary.nodes() if nodes is None else nodes
    playing = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).count()
    able = isolation_summary.able(nodes)
    return Facts(
        waiting=waiting,
        playing=playing,
        workers=sum(node.processes for node in able if not node.trouble),
        ill=sum(node.processes for node in able if node.trouble),
        unheard=outbox.unsent(PLAY_TASK, PATIENCE),
        drained=len(nodes) - len(able),
        misfit=schema_missed(nodes),
    )


def schema_missed(nodes: Sequence[WorkerNode]) -> str:
    """What keeps all of these workers from the database; empty if one of them fits it."""
    database = schema.applied()
    found = [schema.misfit(database, node.schema) for node in nodes]
    return found[0] if found and all(found) else ""


def rules_missing(tournament: Tournament, nodes: Sequence[WorkerNode]) -> str:
    """A sentence that none of these workers has the rules of a tournament; empty if one has."""
    heard = {node.rules.get(tournament.game, "") for node in nodes if node.rules}
    if not heard or not tournament.rules or tournament.rules in heard:
        return ""
    version, title = version_of(tournament.rules), registry.game(tournament.game).title
    by = f"It is played by version {version} of {title}’s rules;"
    there = sorted({version_of(edition) for edition in heard if edition})
    if version in there:
        return (
            f"{by} the workers here have it in another program. The site’s staff must put that "
            "into service (manage.py adopt_rules), or start a worker of the one before."
        )
    has = f"version {listed([str(each) for each in there])}" if there else "none"
    return (
        f"{by} the workers here have {has}. Start a worker of the old version, or carry the "
        "tournament over."
    )


def other_rules(tournament: Tournament) -> RulesInForce | None:
    """The rules in force, where a running tournament is played by others."""
    if tournament.state != Tournament.State.RUNNING or not tournament.rules:
        return None
    row = RulesInForce.objects.filter(game=tournament.game).first()
    return row if row is not None and row.edition != tournament.rules else None


def matches_a_minute() -> float:
    """How many were played in the last minutes, on average."""
    return _played_lately().count() / (WINDOW.total_seconds() / 60)


def pace_at_work() -> float:
    """Matches a second in the last minutes, leaving out idle times; 0 if unknown."""
    recent = _played_lately().order_by("-finished")
    rows = recent.values_list("started", "finished")[:SAMPLE]
    done = [(start, end) for start, end in rows if end is not None]
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    begun = running.order_by().values_list("started", flat=True)[:SAMPLE]
    moment = now()
    # What was played before the sample is not counted, so neither is the time before it.
    first = min((start for start, _ in done), default=moment)
    busy = covered([*done, *((max(start, first), moment) for start in begun)])
    return len(done) / busy.total_seconds() if busy else 0.0


def _played_lately() -> QuerySet[Attempt]:
    return Attempt.objects.filter(outcome=Attempt.Outcome.STORED, finished__gte=Now() - WINDOW)


def covered(spans: Iterable[tuple[datetime, datetime]]) -> timedelta:
    """How long at least one of these spans (start, end) lasted. Pure."""
    total = timedelta()
    until = None
    for start, end in sorted(spans):
        if until is None or start > until:
            until = start
        if end > until:
            total += end - until
            until = end
    return total


def _sharing(priority: int, others: list[tuple[int, int]]) -> str:
    before = sum(1 for _, other in others if other > priority)
    beside = sum(1 for _, other in others if other == priority)
    parts = []
    if before:
        parts.append(f"{_tournaments(before)} with higher priority {_goes(before)} first")
    if beside:
        parts.append(f"{_tournaments(beside)} {_goes(beside)} in turn with it")
    return f"{' and '.join(parts)}.".capitalize() if parts else ""


def _tournaments(count: int) -> str:
    return "one other tournament" if count == 1 else f"{count} other tournaments"


def _goes(count: int) -> str:
    return "goes" if count == 1 else "go"
