"""Play batches of matches in a worker process: claim them, run the referee, store the results.

A batch takes about a second: long enough to keep overhead low, short enough to leave work for other
workers. If one match takes longer, the other matches are given back (`Leases.give_back_unbegun`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, Literal

from django.conf import settings
from django.db import DatabaseError, Error, connection

from bots import package_store
from bots.referee.clock import ClockSettings
from bots.referee.outcome import MatchOutcome, Progress, RefereeError, SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Sandbox, SandboxUnavailable, detect, libraries, pick_cpu, pin, unpin
from bots.workers import health
from bots.workers.health import Failure, Health
from cardroom_base.core import drain
from cardroom_base.core.log_context import add_log_fields
from cardroom_base.db import database, schema_number
from cardroom_base.db.jobs import LeaseLost
from engine import Format
from tournaments.actions import attempts
from tournaments.actions.failures import failure_of
from tournaments.lease_renewal import GivenBack, Leases
from tournaments.models import Attempt, Match, Seat
from tournaments.queue.scheduler import DUE

log = logging.getLogger(__name__)

BATCH_SECONDS = 1.0
"""Duration for which a batch claims matches."""
MAX_CLAIM = 16
"""Maximum number of matches in a claim."""
STORE_DELAYS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds to wait before each try to store a result while the database is unavailable."""
_DRAINING_TEXT = "The worker takes no more work and had not begun this match, so it gave it back."
_ILL_TEXT = "The worker is ill and had not begun this match, so it gave it back."


@dataclass(frozen=True, slots=True)
class Assignment:
    """The data for playing a claimed match without the database."""

    attempt: int
    match: int
    fmt: Format
    seed: str = field(repr=False)
    rng: str | None = field(repr=False)
    """The match's secret for the bots' randomness; None if the seed decides it."""
    players: tuple[SeatedBot, ...]
    clock: ClockSettings
    fault_policy: Literal["fallback", "forfeit"]
    unlucky: frozenset[int] = frozenset()
    """Seats whose bots were already killed once in this deal group without a fault; the next time
    counts as a fault."""

    def play(self, leases: Leases, sandbox: Sandbox) -> MatchOutcome:
        """Play the match; LeaseLost if it need not be played or finished."""
        leases.begin_match(self.attempt, self.match, self.clock)

        def report(progress: Progress) -> None:
            leases.report_progress(self.attempt, progress.moves, progress.new_moves)

        return play_match(
            self.fmt,
            self.seed,
            self.players,
            sandbox=sandbox,
            rng=self.rng,
            clock=self.clock,
            fault_policy=self.fault_policy,
            unlucky=self.unlucky,
            on_progress=report,
            on_poll=drain.stop_if_time_is_up,
        )


def load_assignments(claimed: Sequence[Attempt]) -> list[Assignment]:
    """The data for playing the matches of these attempts."""
    seat_rows = (
        Seat.objects.filter(match__in=[attempt.match_id for attempt in claimed])
        .order_by("match", "index")
        .values_list("match", "version", "version__bot__name", "version__package", *_MATCH_FIELDS)
    )
    rows_by_match = {key: list(group) for key, group in groupby(seat_rows, key=itemgetter(0))}
    return [_new_assignment(attempt, rows_by_match[attempt.match_id]) for attempt in claimed]


_MATCH_FIELDS: Final = (
    "match__format",
    "match__rng",
    "match__deal_group__seed",
    "match__deal_group__unlucky",
    "match__tournament__move_ms",
    "match__tournament__bank_ms",
    "match__tournament__fault_policy",
)


def _new_assignment(attempt: Attempt, seat_rows: Sequence[tuple[Any, ...]]) -> Assignment:
    """`seat_rows`: the rows of `load_assignments` for the seats of the match, in order."""
    format_text, rng, seed, unlucky, move_ms, bank_ms, policy = seat_rows[0][4:]
    return Assignment(
        attempt=attempt.pk,
        match=attempt.match_id,
        fmt=Format.parse(format_text),
        seed=seed,
        rng=rng or None,
        players=tuple(
            SeatedBot(name, package_store.fetch(digest)) for _, _, name, digest, *_ in seat_rows
        ),
        clock=ClockSettings(move_ms, bank_ms),
        fault_policy=policy,
        unlucky=frozenset(i for i, (_, version, *_) in enumerate(seat_rows) if version in unlucky),
    )


def play_batch(
    worker: str,
    sandbox: Sandbox,
    cpu: int | None = None,
    *,
    on_hang: Callable[[], None] | None = None,
) -> int:
    """Claim and play matches for about a second; return the number of results stored.

    The batch ends with the first failure; an ill process claims nothing. `cpu`: the core of the
    sandbox's bots and of the referee. `on_hang`: see `Leases`.
    """
    start_time = time.monotonic()
    process_health = health.of_process(worker)
    process_health.trusted = sandbox.trusted
    stored = played = 0
    limit = 1  # a slow match would hold up the others of its claim
    is_limited = sandbox.trusted or bool(libraries.missing(libraries.LIBRARIES))
    with _pinned(cpu):
        while (
            not process_health.ill
            and not drain.draining()
            and (elapsed := time.monotonic() - start_time) < BATCH_SECONDS
        ):
            if played:
                max_matches = (BATCH_SECONDS - elapsed) / (elapsed / played)
                limit = max(1, min(MAX_CLAIM, round(max_matches)))
            claimed = attempts.claim(worker, limit, house_only=sandbox.trusted)
            if not claimed:
                if is_limited and not played and _matches_wait():
                    process_health.plan_pause()
                break
            played += len(claimed)
            stored += _play_all(claimed, sandbox, process_health, on_hang)
            if process_health.takes_one_at_a_time:
                break
    return stored


@contextmanager
def _pinned(cpu: int | None) -> Iterator[None]:
    pin(cpu)
    try:
        yield
    finally:
        unpin()


def _matches_wait() -> bool:
    """Whether matches wait, perhaps for a sandbox or a library that this process lacks."""
    return Match.objects.filter(DUE, state=Match.State.WAITING).exists()


def _play_all(
    claimed: Sequence[Attempt],
    sandbox: Sandbox,
    process_health: Health,
    on_hang: Callable[[], None] | None,
) -> int:
    stored = 0
    unplayed = [attempt.pk for attempt in claimed]
    has_begun = False
    try:
        with Leases(claimed, on_hang) as leases:
            assignments = list(_prepare(claimed, process_health))
            unplayed = [assignment.attempt for assignment in assignments]
            for assignment in assignments:
                if drain.draining():
                    raise drain.Stopped(_DRAINING_TEXT)
                if process_health.ill:
                    raise drain.Stopped(_ILL_TEXT)
                has_begun = True
                with add_log_fields(match=assignment.match, attempt=assignment.attempt):
                    stored += _play_one(assignment, leases, sandbox, process_health)
                unplayed.remove(assignment.attempt)
    except drain.Stopped as stop:
        log.info("%d matches are given back: %s", len(unplayed), stop)
        attempts.release_attempts(unplayed, str(stop))
    except Exception as error:
        if database.means_unavailable(error):
            raise  # the leases expire, and the sweep frees the matches
        log.exception("A batch could not be played.")
        for attempt in unplayed[:1]:
            _failure_closer(attempt, error, process_health, seated=has_begun)()
        attempts.release_attempts(unplayed[1:], "Another match of the batch could not be played.")
    except BaseException:  # this process must stop
        attempts.release_attempts(unplayed, "The worker was stopped immediately.")
        raise
    return stored


def _prepare(claimed: Sequence[Attempt], process_health: Health) -> Iterator[Assignment]:
    """Load the assignments. If one fails, such as for a damaged package, the others are played."""
    try:
        loaded = load_assignments(claimed)
    except Exception as error:
        if database.means_unavailable(error):
            raise
        if len(claimed) > 1:
            for attempt in claimed:
                if process_health.ill:
                    attempts.release_attempts([attempt.pk], _ILL_TEXT)
                else:
                    yield from _prepare([attempt], process_health)
            return
        with add_log_fields(match=claimed[0].match_id, attempt=claimed[0].pk):
            log.exception("Match %d cannot be prepared.", claimed[0].match_id)
            _failure_closer(claimed[0].pk, error, process_health, seated=False)()
        return
    yield from loaded


def _play_one(
    assignment: Assignment, leases: Leases, sandbox: Sandbox, process_health: Health
) -> bool:
    """Play a match; return whether its result is stored. A failure of the platform closes the
    attempt."""
    try:
        outcome = assignment.play(leases, sandbox)
        _check_machine(outcome, process_health)
    except GivenBack:
        return False
    except LeaseLost:
        log.warning("Match %d is left to another worker.", assignment.match)
        return False
    except Exception as error:
        log.exception("Match %d could not be played.", assignment.match)
        # If a sandbox was unavailable, no bot has seen the cards.
        seated = not isinstance(error, SandboxUnavailable)
        close = _failure_closer(assignment.attempt, error, process_health, seated=seated)
        if _write_with_retries(assignment, close):
            leases.renew()  # the deal group's other matches may no longer need to be played
        return False
    finally:
        leases.finish_match(assignment.attempt)
    is_stored = _store_outcome(assignment, outcome, process_health)
    if is_stored:
        process_health.succeeded()
        log.debug("Match %d is stored.", assignment.match)
    return is_stored


def _store_outcome(assignment: Assignment, outcome: MatchOutcome, process_health: Health) -> bool:
    """Store a result and return whether it is stored; if the database rejects it, close the attempt
    with the cause."""
    try:
        return _write_with_retries(assignment, partial(_store_or_give_back, assignment, outcome))
    except Exception as error:
        if database.means_unavailable(error):
            raise
        log.exception("The result of match %d cannot be stored.", assignment.match)
        close = _failure_closer(assignment.attempt, error, process_health, seated=True)
        _write_with_retries(assignment, close)
        return False


def _store_or_give_back(assignment: Assignment, outcome: MatchOutcome) -> bool:
    """Store a result and return whether it is stored; give the match back if the database's schema
    has changed meanwhile."""
    try:
        return attempts.store_result(assignment.attempt, outcome)
    except DatabaseError as error:
        if database.means_unavailable(error):
            raise
        misfit = schema_number.incompatibility(
            schema_number.database_number(), schema_number.program_number()
        )
        if not misfit:
            raise
        log.warning("Match %d is given back: %s (%s)", assignment.match, misfit, error)
        attempts.release_attempts([assignment.attempt], f"Its result could not be stored. {misfit}")
        return False


def _check_machine(outcome: MatchOutcome, process_health: Health) -> None:
    """RefereeError if all bots of a match failed and test bots also fail on this machine."""
    if len(outcome.faults) == len(outcome.seats) and (problem := process_health.test()):
        raise RefereeError(f"All bots failed, and test bots failed, too: {problem}")


def _failure_closer(
    attempt: int, error: Exception, process_health: Health, *, seated: bool
) -> Callable[[], bool]:
    """Judge whether this process caused a failure; return a function that closes the attempt."""
    cause = _cause_text(error)
    seat = getattr(error, "seat", None)
    try:
        failure = failure_of(attempt, cause, seat)
    except Error:
        failure = Failure(attempt, cause, elsewhere=True)  # does not count against this process
    counts = process_health.judge(failure)
    return partial(attempts.fail_attempt, attempt, cause, seat=seat, seated=seated, counted=counts)


def _write_with_retries(assignment: Assignment, write: Callable[[], bool]) -> bool:
    """Call `write` and return its result, with retries while the database is unavailable.

    Repeated calls must have no effect. False if the database stays unavailable or the time is up.
    """
    for delay in STORE_DELAYS:
        if drain.is_time_up():
            break  # the process must end now
        if delay:
            time.sleep(delay)
        try:
            return write()
        except Exception as error:
            if not database.means_unavailable(error):
                raise
            log.warning("Match %d waits. %s", assignment.match, database.unavailable_text(error))
            database.drop_connection()
    log.error("Match %d could not be stored; it will be played again.", assignment.match)
    return False


def _cause_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:2000]


def plan_once() -> None:
    """Make PostgreSQL plan frequent queries once for each connection.

    Planning would be two thirds of the cost of storing a match. Only workers do this, because
    server-side binding limits a query to 65,535 values.
    """
    if connection.vendor == "postgresql":
        connection.close()
        connection.settings_dict["OPTIONS"].update(server_side_binding=True, prepare_threshold=3)


# --- the sandbox of this process ----------------------------------------------------------------

_sandbox_and_core: tuple[Sandbox, int | None] | None = None


def sandbox_and_core(index: int = 0) -> tuple[Sandbox, int | None]:
    """The sandbox and core of this process, created by the first call, after a fork.

    Without isolation only house bots play here, unsandboxed, and this is logged. `index` numbers
    the worker processes of this machine, which are spread over its cores.
    """
    global _sandbox_and_core
    if _sandbox_and_core is not None and _sandbox_and_core[0].trusted and detect().level != "none":
        close_sandbox()
    if _sandbox_and_core is None:
        isolation = detect()
        trusted = isolation.level == "none"
        if trusted:
            log.error("No sandbox here: only house bots play. %s", isolation.reason)
        cpu = pick_cpu(index)
        _sandbox_and_core = Sandbox(trusted=trusted, warm=settings.WARM_SANDBOXES, cpu=cpu), cpu
    return _sandbox_and_core


def close_sandbox() -> None:
    """Close this process's sandbox."""
    global _sandbox_and_core
    if _sandbox_and_core is not None:
        _sandbox_and_core[0].close()
        _sandbox_and_core = None
