"""Claim matches, renew leases, store results, close failed and lost attempts.

At most one attempt of a match runs, which a database constraint ensures, and only a running attempt
can store a result.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction

from bots.models import host_of
from bots.referee.referee import MatchOutcome
from bots.sandbox import libraries
from cardroom_base.core import backoff
from cardroom_base.db import database, schema_number
from cardroom_base.db.db_time import Now, lease_end, now
from cardroom_base.db.outbox import announce
from engine import Format, rules
from tournaments.actions import live_moves
from tournaments.actions.decision_log import log_decision
from tournaments.actions.failures import match_is_stuck
from tournaments.actions.notifying import notify_first_faults, notify_stuck
from tournaments.actions.redeals import redeal
from tournaments.actions.rounds import advance_soon
from tournaments.actions.voiding import lock_ledger_if_counted
from tournaments.models import (
    Attempt,
    DealGroup,
    Decision,
    Match,
    Seat,
    SideResult,
    StoredRecord,
    Tournament,
)
from tournaments.queue.scheduler import lock_groups, pick, quarantined_bots
from tournaments.queue.task_names import PLAY_TASK
from tournaments.standings.drama import drama

log = logging.getLogger(__name__)

Outcome = Attempt.Outcome


# --- claiming -----------------------------------------------------------------------------------


@transaction.atomic
def claim(worker: str, limit: int = 1, *, house_only: bool = False) -> list[Attempt]:
    """Claim up to `limit` waiting matches in the scheduler's order; return an attempt for each.

    Two workers never get the same match, nor two matches of a deal group at the same time:
    PostgreSQL skips locked rows, SQLite runs one transaction at a time. Claims leave out
    tournaments under other rules than this program's, matches with bots that need a library which
    this machine lacks and, with `house_only`, matches with users' bots.
    The database's clock decides when leases end.
    """
    editions = rules.editions()
    missing_libraries = libraries.missing(libraries.LIBRARIES)
    matches: list[Match] = []
    others: set[int] = set()  # deal groups of which other processes play or claim a match
    while not matches:
        picked = pick(
            limit,
            tuple(editions.values()),
            worker=worker,
            house_only=house_only,
            missing_libraries=missing_libraries,
            other_groups=others,
        )
        if not picked:
            return []
        free_groups = lock_groups(picked)
        earlier = Attempt.objects.filter(match__deal_group__in=free_groups).order_by("number")
        numbers = {}
        for match, number, group, outcome, process in earlier.values_list(
            "match", "number", "match__deal_group", "outcome", "worker"
        ):
            numbers[match] = number
            if outcome == Outcome.RUNNING and process != worker:
                free_groups.discard(group)  # it was claimed while `pick` read the database
        matches = [match for match in picked if match.deal_group_id in free_groups]
        others.update(match.deal_group_id for match in picked)
    keys = [match.pk for match in matches]
    Match.objects.filter(pk__in=keys).update(state=Match.State.PLAYING, moves_played=0)
    lease_until = lease_end()
    return Attempt.objects.bulk_create(
        [
            Attempt(
                match=match,
                number=numbers.get(match.pk, 0) + 1,
                worker=worker,
                lease_until=lease_until,
                rules=editions.get(match.format.partition("/")[0], ""),
                schema=schema_number.program_number(),
            )
            for match in matches
        ]
    )


def heartbeat(attempts: Iterable[int], moves: dict[int, int] | None = None) -> set[int]:
    """Renew the leases of these attempts; return the attempts that still hold one.

    `moves`: primary key of a match → moves played so far, for spectators.
    """
    keys = list(attempts)
    running = Attempt.objects.filter(pk__in=keys, outcome=Outcome.RUNNING)
    renewed = running.update(lease_until=lease_end())
    for match, played in (moves or {}).items():
        Match.objects.filter(pk=match, state=Match.State.PLAYING).update(moves_played=played)
    if renewed == len(keys):
        return set(keys)
    return set(running.values_list("pk", flat=True))


# --- results ------------------------------------------------------------------------------------


def store_result(attempt_id: int, outcome: MatchOutcome) -> bool:
    """Store the outcome of a running attempt as the result of its match, atomically.

    False if the attempt no longer runs; the outcome is then ignored. The caller may repeat the call
    if it does not know whether the first one succeeded.
    """
    content = zlib.compress(outcome.record.dumps().encode(), 6)
    logs = [zlib.compress(report.stderr) if report.stderr else b"" for report in outcome.seats]
    with transaction.atomic():
        attempt = _lock_attempt(attempt_id)
        if attempt is None or attempt.outcome != Outcome.RUNNING:
            _log_late(attempt_id, attempt)
            return False
        match, record = attempt.match, outcome.record
        result = record.result or {}
        _store_seats(match, outcome, logs)
        _store_sides(match, outcome, result)
        StoredRecord.objects.bulk_create(  # `save` would first query for it
            [
                StoredRecord(
                    match=match,
                    content=content,
                    moves=len(record.moves),
                    rules=record.rules or "",
                    schema=schema_number.program_number(),
                )
            ]
        )
        Match.objects.filter(pk=match.pk).update(
            state=Match.State.FINISHED,
            reason=result.get("reason") or "",
            faulted=bool(outcome.faults),
            drama=drama(outcome.scores),
            moves_played=len(record.moves),
            finished=Now(),
        )
        if faulted_seats := [index for index, seat in enumerate(outcome.seats) if seat.fault]:
            notify_first_faults(match, faulted_seats)
        _close(attempt, Outcome.STORED, "")
        _close_deal_group(match)
    return True


_STORE_SEAT: Final = (
    "UPDATE tournaments_seat "
    "SET fault = %s, cpu_ms = %s, wall_ms = %s, peak_memory_kib = %s, log = %s "
    'WHERE match_id = %s AND "index" = %s'
)
_CLOSE_DEAL_GROUP: Final = (
    "UPDATE tournaments_dealgroup SET finished = %s WHERE id = %s AND NOT EXISTS "
    "(SELECT 1 FROM tournaments_match AS match "
    "WHERE match.deal_group_id = tournaments_dealgroup.id AND match.state IN (%s, %s, %s))"
)
"""SQL, because building these queries takes Django longer than the rest of storing a result."""


def _store_seats(match: Match, outcome: MatchOutcome, logs: Sequence[bytes]) -> None:
    rows = [
        (
            report.fault.kind if report.fault else "",
            round(report.cpu_ms),
            round(report.wall_ms),
            report.peak_memory_kib,
            log_,
            match.pk,
            index,
        )
        for index, (report, log_) in enumerate(zip(outcome.seats, logs, strict=True))
    ]
    with connection.cursor() as cursor:
        # Not `executemany`: it uses a pipeline, after which PostgreSQL does not end a transaction
        # that has become idle, so a frozen worker would keep its locks.
        for row in rows:
            cursor.execute(_STORE_SEAT, row)


def _store_sides(match: Match, outcome: MatchOutcome, result: dict[str, Any]) -> None:
    faulted_sides = {
        side
        for side, seats in enumerate(Format.parse(match.format).sides)
        if any(outcome.seats[seat].fault for seat in seats)
    }
    SideResult.objects.bulk_create(
        SideResult(
            match=match,
            side=side,
            score=score,
            rank=rank,
            faulted=side in faulted_sides,
        )
        for side, (score, rank) in enumerate(zip(result["scores"], result["ranks"], strict=True))
    )


def _close_deal_group(match: Match) -> None:
    """Finish the match's deal group if all its matches are finished; the caller has locked it."""
    moment = connection.ops.adapt_datetimefield_value(now())
    with connection.cursor() as cursor:
        cursor.execute(_CLOSE_DEAL_GROUP, (moment, match.deal_group_id, *Match.UNFINISHED))
        is_closed = cursor.rowcount > 0
    if is_closed:
        advance_soon(match.tournament_id)


def _log_late(attempt_id: int, attempt: Attempt | None) -> None:
    if attempt is None:
        log.warning("A result for attempt %d is ignored: there is no such attempt.", attempt_id)
    elif attempt.outcome == Outcome.STORED:
        log.warning("The result of attempt %d arrived twice; the first one counts.", attempt_id)
    else:
        log.warning(
            "The result of attempt %d of match %d is ignored: it had already ended (%s).",
            attempt_id,
            attempt.match_id,
            attempt.outcome,
        )
        if attempt.outcome == Outcome.LOST:
            attempt.outcome = Outcome.LATE
            attempt.save(update_fields=["outcome"])


# --- failures -----------------------------------------------------------------------------------


@transaction.atomic
def fail_attempt(
    attempt_id: int,
    cause: str,
    *,
    seat: int | None = None,
    seated: bool = True,
    counted: bool = True,
) -> bool:
    """Close an attempt that the worker gave up; the match then waits for a retry, or is stuck.

    `seated`: whether bots had been seated; a bot may then be the cause, so the deal group is
    redealt. `seat`: the seat of a bot that the machine killed, if that made the attempt fail.
    `counted`: whether the failure counts against the match; if not, the worker is to blame
    (`bots.workers.health`). False if the attempt no longer runs.
    """
    return _close_failed(
        attempt_id, Outcome.FAILED, cause, new_cards=seated, seat=seat, counted=counted
    )


def release_attempts(attempts: Sequence[int], cause: str) -> None:
    """Give back the unfinished matches of a worker that stops or is ill.

    This does not count against the matches. Those that people may have watched are redealt."""
    for attempt_id in live_moves.watched_attempts(attempts):
        with transaction.atomic():
            _close_failed(attempt_id, Outcome.FAILED, cause, new_cards=False, counted=False)
    _release_without_failure(attempts, cause)


def release_quarantined() -> int:
    """Give back the running matches of quarantined bots; return their number.

    The sweep repeats this for attempts that began at the same moment as a quarantine."""
    bots = quarantined_bots()
    if not bots:
        return 0
    running = Attempt.objects.filter(outcome=Outcome.RUNNING)
    keys = list(
        running.filter(match__seats__version__bot__in=bots).distinct().values_list("pk", flat=True)
    )
    release_attempts(keys, "A bot of the match was quarantined.")
    return len(keys)


@transaction.atomic
def _release_without_failure(attempts: Sequence[int], cause: str) -> None:
    for attempt_id in attempts:
        attempt = _lock_attempt(attempt_id)
        if attempt is not None and attempt.outcome == Outcome.RUNNING:
            _close(attempt, Outcome.FAILED, cause)
            attempt.match.state = Match.State.WAITING
            attempt.match.moves_played = 0
            attempt.match.save(update_fields=["state", "moves_played"])
            announce(PLAY_TASK)


def release_worker(node: str, is_alive: Callable[[str], bool], cause: str) -> int:
    """Close the attempts of a node's dead processes before the leases expire; return their number.

    Workers are named `node/process`; `is_alive`: whether the process of this name still runs.
    """
    attempts = Attempt.objects.filter(worker__startswith=f"{node}/", outcome=Outcome.RUNNING)
    rows = attempts.values_list("pk", "worker")
    return _close_lost(
        [pk for pk, worker in rows if not is_alive(worker.removeprefix(f"{node}/"))], cause
    )


def sweep_attempts() -> int:
    """Close the attempts whose lease has expired; return their number."""
    cause = f"The worker was not heard from for {settings.LEASE_SECONDS} seconds."
    expired = Attempt.objects.filter(outcome=Outcome.RUNNING, lease_until__lt=Now())
    return _close_lost(expired.values_list("pk", flat=True), cause)


def _close_lost(attempts: Iterable[int], cause: str) -> int:
    """Close these attempts; return their number.

    Each is closed in its own transaction, which hardly waits for locks. The next sweep retries
    attempts that are locked or cannot be closed.
    """
    with database.short_lock_timeout():
        return sum(
            database.try_piece(f"Closing attempt {attempt}", _close_one_lost, attempt, cause)
            or False
            for attempt in list(attempts)
        )


@transaction.atomic
def _close_one_lost(attempt_id: int, cause: str) -> bool:
    lost_too_often = _lost_attempts(attempt_id) + 1 >= settings.MAX_LOST
    return _close_failed(attempt_id, Outcome.LOST, cause, new_cards=lost_too_often)


def _lost_attempts(attempt_id: int) -> int:
    """The number of attempts of the same match that were lost with their workers."""
    match = Attempt.objects.filter(pk=attempt_id).values("match")
    outcomes = Outcome.LOST, Outcome.LATE
    return Attempt.objects.filter(match__in=match, outcome__in=outcomes).count()


def _close_failed(
    attempt_id: int,
    outcome: Attempt.Outcome,
    cause: str,
    *,
    new_cards: bool,
    seat: int | None = None,
    counted: bool = True,
) -> bool:
    watched = bool(live_moves.watched_attempts([attempt_id]))
    new_cards = new_cards or watched
    if new_cards:
        _lock_for_redeal(attempt_id)
    attempt = _lock_attempt(attempt_id)
    if attempt is None or attempt.outcome != Outcome.RUNNING:
        return False
    _close(attempt, outcome, cause)
    if seat is not None:
        _record_killed_bot(attempt, seat)
    match = attempt.match
    is_stuck = _count_failure(match, attempt) if counted else False
    match.state = Match.State.STUCK if is_stuck else Match.State.WAITING
    match.moves_played = 0
    failures = match.failures - (outcome == Outcome.LOST)  # one lost worker delays nothing
    wait = backoff.delay(failures) if counted else backoff.BRIEF
    match.not_before = Now() + wait if wait else None
    match.save(update_fields=["failures", "failed_on", "not_before", "state", "moves_played"])
    log.warning(
        "Attempt %d of match %d ended (%s): %s",
        attempt.number,
        match.pk,
        outcome,
        cause,
        extra={"match": match.pk, "attempt": attempt.pk},
    )
    if is_stuck:
        notify_stuck(match.tournament)
    if new_cards and not is_stuck:
        _redeal(match, outcome, watched=watched)
    elif not is_stuck:
        announce(PLAY_TASK)
    return True


def _count_failure(match: Match, attempt: Attempt) -> bool:
    """Count a failure of the match and its machine; return whether the match is stuck now."""
    match.failures += 1
    match.failed_on = sorted({*match.failed_on, host_of(attempt.worker)})
    return match_is_stuck(match)


def _redeal(match: Match, outcome: Attempt.Outcome, *, watched: bool) -> None:
    """Redeal the deal group of a failed match."""
    reason = "An attempt failed after the bots had been seated."
    if outcome == Outcome.LOST:
        reason = "Its worker was lost, and so was the worker of an earlier attempt."
    if watched:
        reason = "The match could not be finished, and people had already watched it."
    tournament, subject = match.tournament, f"match {match.pk}"
    new_groups = redeal(
        tournament, [match.deal_group], f"Redealt because of {subject}.", reset_failures=False
    )
    log_decision(tournament, Decision.Kind.REDEALT, subject, reason, match=match, dealt=new_groups)


def _record_killed_bot(attempt: Attempt, index: int) -> None:
    """Store the seat of a killed bot with the attempt, and its version with the deal group."""
    seat = Seat.objects.filter(match=attempt.match_id, index=index).first()
    if seat is None:
        return
    attempt.seat = index
    attempt.save(update_fields=["seat"])
    deal_group = attempt.match.deal_group
    deal_group.unlucky = sorted({*deal_group.unlucky, seat.version_id})
    deal_group.save(update_fields=["unlucky"])


def _lock_for_redeal(attempt_id: int) -> None:
    """Lock tournament and, if needed, ledger: a redeal locks them before the deal group."""
    matches = Match.objects.filter(attempts=attempt_id)
    tournaments = Tournament.objects.filter(pk__in=matches.values("tournament"))
    list(tournaments.select_for_update())
    lock_ledger_if_counted(DealGroup.objects.filter(pk__in=matches.values("deal_group")))


def _lock_attempt(attempt_id: int) -> Attempt | None:
    """The attempt with its deal group and match, all locked.

    The deal group is locked first: when its last two matches end together, the second sees that the
    first has ended. Fields that only failures need are deferred.
    """
    rows = Attempt.objects.select_related("match__deal_group").only(*_ATTEMPT_FIELDS).order_by()
    locked = rows.select_for_update(of=("match__deal_group", "match", "self"))
    return next(iter(locked.filter(pk=attempt_id)), None)


_ATTEMPT_FIELDS: Final = (
    "outcome",
    "number",
    "worker",
    "match",
    "match__deal_group",
    "match__tournament",
    "match__format",
    "match__deal_group__number",
)


def lock_match(match_id: int) -> Match:
    """The match, locked after its deal group (see `_lock_attempt`)."""
    deal_group = Match.objects.filter(pk=match_id).values("deal_group")
    DealGroup.objects.select_for_update().get(pk__in=deal_group)
    return Match.objects.select_for_update().get(pk=match_id)


def _close(attempt: Attempt, outcome: Attempt.Outcome, cause: str) -> None:
    Attempt.objects.filter(pk=attempt.pk).update(outcome=outcome, cause=cause, finished=Now())
