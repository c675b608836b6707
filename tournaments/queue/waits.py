"""Explain why matches and checks wait, and estimate for how long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, OuterRef, QuerySet, Subquery

from bots import isolation_summary
from bots.actions import CHECK_TASK
from bots.models import BotVersion, Check, WorkerNode
from cardroom_base.core import backoff
from cardroom_base.db import outbox, schema_number
from cardroom_base.db.db_time import Now, now
from engine import registry
from engine.declarations import join_words
from engine.rules import version_of
from tournaments.models import Attempt, Match, RulesInForce, Seat, Tournament
from tournaments.queue.scheduler import DUE, authors_at_their_limit, quarantined_bots
from tournaments.queue.task_names import PLAY_TASK

WINDOW = timedelta(minutes=5)
"""Time over which the pace of matches is measured."""

MAX_UNSENT = timedelta(seconds=15)
"""If a message stays unsent for longer, the broker is considered unavailable."""

STALLED = (
    "The tournament could not be advanced; the site tries again every five seconds. "
    "Its organizer and the site's staff see the reason."
)
QUARANTINED = "The site’s moderators keep a bot of these matches from playing."
SHOWN_OUTCOMES = (Attempt.Outcome.FAILED, Attempt.Outcome.LOST)
"""Outcomes of attempts whose cause is shown to the organizer."""

SAMPLE = 500
"""Maximum number of matches used to measure the pace."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The state of a tournament's queue."""

    waiting: int
    """Waiting matches."""

    seconds: float | None
    """Estimated seconds until they are played, with fair sharing; None if unknown."""

    reason: str
    """A sentence for pages; empty if nothing waits."""


@dataclass(frozen=True, slots=True)
class WaitFacts:
    """The facts from which `reason` derives why matches wait."""

    waiting: int
    playing: int
    workers: int
    unsent: bool = False
    """Whether messages for workers could not be sent."""

    blocked: int = 0
    """Authors whose bots are in as many running matches as allowed."""

    drained: int = 0
    """Running workers that take no work because they drain."""

    ill: int = 0
    """Ill worker processes, which are not counted in `workers`."""

    paused: int = 0
    """Waiting matches that are not tried again yet, after a failure."""

    wrong_schema: str = ""
    """Why no worker fits the database's schema; empty if one does."""

    rules: str = ""
    """Why no worker has the tournament's rules; empty if one has them."""

    quarantined: int = 0
    """Waiting matches of quarantined bots."""

    libraries: str = ""
    """Why no worker can play some of the matches; empty if one can play all."""


def reason(facts: WaitFacts) -> str:
    """Why matches wait, in one or two sentences; empty if none waits. Pure."""
    if not facts.waiting:
        return ""
    if facts.quarantined == facts.waiting:
        return f"{QUARANTINED} The matches wait until they release it."
    if trouble := _trouble_text(facts, "the matches"):
        return trouble
    if facts.paused == facts.waiting:
        return (
            "Attempts to play have failed, but not because of a bot. The matches are tried again "
            "after a pause, which grows with each failure, and on another machine if there is one."
        )
    if facts.blocked and facts.playing:
        authors = "an author" if facts.blocked == 1 else f"{facts.blocked} authors"
        return (
            f"Bots of {authors} are in as many running matches as one author may have; "
            "further matches wait until some of them are finished."
        )
    quarantine_text = (
        f"{QUARANTINED} Some matches wait until they release it." if facts.quarantined else ""
    )
    return _busy_text(facts) or facts.libraries or quarantine_text or "Workers are taking them now."


def check_reason(earlier_checks: int, facts: WaitFacts) -> str:
    """Why the check of an upload waits. `earlier_checks`: the number of checks before it. Pure."""
    if trouble := _trouble_text(facts, "the upload"):
        return trouble
    if earlier_checks:
        if earlier_checks == 1:
            return "One other check comes first."
        return f"{earlier_checks} other checks come first."
    return _busy_text(facts) or "A worker takes it now."


def _trouble_text(facts: WaitFacts, subject: str) -> str:
    """A reason why nothing can be played; empty if there is none."""
    if not facts.playing and facts.unsent:
        return (
            f"The message broker cannot be reached, so {subject} cannot be announced to workers. "
            "They poll every few seconds. If no worker begins, the site's staff must act."
        )
    if not facts.workers and facts.ill:
        return (
            "All workers found that they cannot play bots now. They test themselves and resume "
            "automatically once the tests pass; the site's staff can see the cause."
        )
    if not facts.workers and facts.drained:
        return "All workers are drained and take no work; the site's staff must resume one."
    if not facts.workers:
        return (
            "No worker has reported for five minutes. If none is being started, the site's staff "
            "must start one."
        )
    return facts.wrong_schema or facts.rules


def _busy_text(facts: WaitFacts) -> str:
    if facts.playing < facts.workers:
        return ""
    busy = "The worker is" if facts.workers == 1 else f"All {facts.workers} workers are"
    count = "a match" if facts.playing == 1 else f"{facts.playing} matches"
    return f"{busy} busy, with {count}."


def shared_wait(
    own_matches: int, priority: int, other_queues: list[tuple[int, int]], pace: float
) -> float:
    """Seconds until `own_matches` are played. Pure.

    `other_queues`: (waiting matches, priority) of each other tournament. Higher priorities come
    first; tournaments of the same priority get equal shares, so each of them plays up to
    `own_matches` matches meanwhile. `pace`: matches per second.
    """
    earlier_matches = sum(
        count if other > priority else min(count, own_matches) if other == priority else 0
        for count, other in other_queues
    )
    return (own_matches + earlier_matches) / pace


def rounded_seconds(seconds: float) -> float:
    """Seconds rounded to tenths, at least 0.1."""
    return max(0.1, round(seconds, 1))


def tournament_wait(tournament: Tournament, *, organizer: bool = False) -> Wait:
    """The wait of a tournament. `organizer`: whether to include the cause of failures."""
    queues = _queues()
    own_count, priority = queues.pop(tournament.pk, (0, 0))
    if not own_count:
        stalled = tournament.trouble and tournament.state == Tournament.State.RUNNING
        return Wait(0, 0.0, STALLED if stalled else "")
    pace = busy_pace()
    others = list(queues.values())
    seconds = rounded_seconds(shared_wait(own_count, priority, others, pace)) if pace else None
    blocked_authors = authors_at_their_limit()
    blocked_seats = Seat.objects.filter(
        match__tournament=tournament, version__bot__owner__in=blocked_authors
    )
    nodes = isolation_summary.recent_workers()
    facts = site_facts(sum(count for count, _ in others) + own_count, nodes)
    blocked_count = len(blocked_authors) if blocked_authors and blocked_seats.exists() else 0
    rules = rules_missing(tournament, nodes)
    paused = own_count - _count_due(tournament)
    libraries = libraries_missing(tournament, nodes)
    quarantined_count = _quarantined_matches(tournament)
    facts = replace(
        facts,
        waiting=own_count,
        blocked=blocked_count,
        paused=paused,
        rules=rules,
        libraries=libraries,
        quarantined=quarantined_count,
    )
    if facts.wrong_schema or facts.rules or quarantined_count == own_count:
        return Wait(own_count, None, reason(facts))
    parts = [reason(facts), _sharing_text(priority, others)]
    if organizer and (facts.paused or facts.ill):
        parts.append(_last_cause(tournament))
    return Wait(own_count, seconds, " ".join(filter(None, parts)))


def _quarantined_matches(tournament: Tournament) -> int:
    """Number of waiting matches with a quarantined bot."""
    bots = quarantined_bots()
    if not bots:
        return 0
    seats = Seat.objects.filter(match__tournament=tournament, match__state=Match.State.WAITING)
    quarantined_seats = seats.filter(version__bot__in=bots)
    return quarantined_seats.values("match").distinct().count()


def _count_due(tournament: Tournament) -> int:
    """Number of waiting matches that may be played now."""
    return tournament.matches.filter(DUE, state=Match.State.WAITING).count()


def _last_cause(tournament: Tournament) -> str:
    """The cause of the last failure within twice the longest pause between attempts; empty if there
    is none."""
    start = Now() - 2 * timedelta(seconds=backoff.LONGEST_SECONDS)
    attempts = Attempt.objects.filter(
        match__tournament=tournament, outcome__in=SHOWN_OUTCOMES, finished__gte=start
    )
    cause = attempts.order_by("-finished").values_list("cause", flat=True).first()
    return f"The last failure: {cause.rstrip('.')}." if cause else ""


def check_wait(version: BotVersion) -> str:
    """Why the check of a version waits; empty if it does not."""
    if version.status != BotVersion.Status.QUEUED:
        return ""
    earlier = Check.objects.filter(finished__isnull=True, version__lt=version.pk)
    facts = replace(site_facts(1), unsent=outbox.has_unsent(CHECK_TASK, MAX_UNSENT))
    return check_reason(earlier.count(), facts)


def _queues() -> dict[int, tuple[int, int]]:
    """For each tournament with waiting matches: their number and highest priority.

    The query starts from tournaments, to use the index `match_share`.
    """
    waiting = Match.objects.filter(tournament=OuterRef("pk"), state=Match.State.WAITING)
    counts = waiting.order_by().values("tournament").annotate(count=Count("pk"))
    running = Tournament.objects.filter(state=Tournament.State.RUNNING)
    rows = running.order_by().annotate(
        count=Subquery(counts.values("count")),
        top=Subquery(waiting.order_by("-priority", "pk").values("priority")[:1]),
    )
    return {pk: (count, top) for pk, count, top in rows.values_list("pk", "count", "top") if count}


def site_facts(
    waiting_matches: int, nodes: Sequence[WorkerNode] | None = None, database: int | None = None
) -> WaitFacts:
    """The facts of the whole site.

    `waiting_matches`: the number of waiting matches. `nodes`, `database`: the site's workers and
    the number of the database's schema; by default they are read.
    """
    nodes = isolation_summary.recent_workers() if nodes is None else nodes
    playing = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).count()
    accepting = isolation_summary.accepting_workers(nodes)
    return WaitFacts(
        waiting=waiting_matches,
        playing=playing,
        workers=sum(node.processes for node in accepting if not node.trouble),
        ill=sum(node.processes for node in accepting if node.trouble),
        unsent=outbox.has_unsent(PLAY_TASK, MAX_UNSENT),
        drained=len(nodes) - len(accepting),
        wrong_schema=schema_problem(
            nodes, schema_number.database_number() if database is None else database
        ),
    )


def schema_problem(nodes: Sequence[WorkerNode], database: int) -> str:
    """Why none of these workers fits the database's schema; empty if one does."""
    problems = [schema_number.incompatibility(database, node.schema) for node in nodes]
    return problems[0] if problems and all(problems) else ""


def rules_missing(tournament: Tournament, nodes: Sequence[WorkerNode]) -> str:
    """Why none of these workers has the tournament's rules; empty if one has them."""
    editions = {node.rules.get(tournament.game, "") for node in nodes if node.rules}
    if not editions or not tournament.rules or tournament.rules in editions:
        return ""
    version, title = version_of(tournament.rules), registry.game(tournament.game).title
    start = f"It is played by version {version} of {title}’s rules;"
    versions = sorted({version_of(edition) for edition in editions if edition})
    if version in versions:
        return (
            f"{start} the workers have that version from another program. The site’s staff must "
            "adopt it (manage.py adopt_rules), or start a worker with the previous program."
        )
    known_versions = (
        f"version {join_words([str(number) for number in versions])}" if versions else "none"
    )
    return (
        f"{start} the workers have {known_versions}. Start a worker of the old version, or carry "
        "the tournament over."
    )


def libraries_missing(tournament: Tournament, nodes: Sequence[WorkerNode]) -> str:
    """Why none of these workers can play some waiting matches; empty if one can."""
    seats = Seat.objects.filter(match__tournament=tournament, match__state=Match.State.WAITING)
    needs = seats.exclude(version__needs="").order_by().values_list("version__needs", flat=True)
    names = {name for library_names in needs.distinct() for name in library_names.split()}
    if not names or any(node.runtimes.keys() >= names for node in nodes):
        return ""
    return (
        f"Some matches have bots that need {join_words(sorted(names))}, which no worker has. The "
        "site’s staff must start a worker that has it."
    )


def other_rules(tournament: Tournament) -> RulesInForce | None:
    """The rules in force, if a running tournament is bound to other rules."""
    if tournament.state != Tournament.State.RUNNING or not tournament.rules:
        return None
    row = RulesInForce.objects.filter(game=tournament.game).first()
    return row if row is not None and row.edition != tournament.rules else None


def ended_attempts() -> dict[str, int]:
    """Number of attempts that ended within `WINDOW`, by outcome."""
    attempts = Attempt.objects.filter(finished__gte=Now() - WINDOW).order_by()
    return dict(attempts.values_list("outcome").annotate(Count("pk")))


def matches_per_minute(attempts_by_outcome: Mapping[str, int]) -> float:
    """Mean number of matches per minute, from the result of `ended_attempts`."""
    return attempts_by_outcome.get(Attempt.Outcome.STORED, 0) / (WINDOW.total_seconds() / 60)


def busy_pace() -> float:
    """Matches per second over `WINDOW`, without idle times; 0 if unknown."""
    attempts = _recently_played().order_by("-finished")
    rows = attempts.values_list("started", "finished")[:SAMPLE]
    spans = [(start, end) for start, end in rows if end is not None]
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    starts = running.order_by().values_list("started", flat=True)[:SAMPLE]
    time = now()
    # Matches before the sample are not counted, so neither is the time before it.
    sample_start = min((start for start, _ in spans), default=time)
    busy_time = covered_time([*spans, *((max(start, sample_start), time) for start in starts)])
    return len(spans) / busy_time.total_seconds() if busy_time else 0.0


def _recently_played() -> QuerySet[Attempt]:
    return Attempt.objects.filter(outcome=Attempt.Outcome.STORED, finished__gte=Now() - WINDOW)


def covered_time(spans: Iterable[tuple[datetime, datetime]]) -> timedelta:
    """The total time covered by at least one of the spans (start, end). Pure."""
    total = timedelta()
    last_end = None
    for start, end in sorted(spans):
        if last_end is None or start > last_end:
            last_end = start
        if end > last_end:
            total += end - last_end
            last_end = end
    return total


def _sharing_text(priority: int, other_queues: list[tuple[int, int]]) -> str:
    higher = sum(1 for _, other in other_queues if other > priority)
    equal = sum(1 for _, other in other_queues if other == priority)
    parts = []
    if higher:
        parts.append(f"{_tournaments(higher)} with higher priority {_go_verb(higher)} first")
    if equal:
        parts.append(f"{_tournaments(equal)} {_go_verb(equal)} in turn with it")
    return f"{' and '.join(parts)}.".capitalize() if parts else ""


def _tournaments(count: int) -> str:
    return "one other tournament" if count == 1 else f"{count} other tournaments"


def _go_verb(count: int) -> str:
    return "goes" if count == 1 else "go"
