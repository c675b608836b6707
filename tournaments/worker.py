"""Play batches of matches in a worker process: claim them, run the referee, store the results.

A batch takes about a second: long enough to keep overhead low, short enough to leave work for other
workers. If one match takes longer, the batch's other matches are given back (`Leases.share`).
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
from cardroom_base.core.log_context import at_work_on
from cardroom_base.db import database, schema
from engine import Format
from tournaments.actions import attempts
from tournaments.actions.failures import failure_of
from tournaments.lease_renewal import GivenBack, LeaseLost, Leases
from tournaments.models import Attempt, Match, Seat
from tournaments.models.matches import parsed
from tournaments.queue.scheduler import DUE

log = logging.getLogger(__name__)

BATCH_SECONDS = 1.0
"""Duration for which a batch claims matches."""
MAX_CLAIM = 16
"""Matches per claim."""
STORE_DELAYS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds to wait before each try to store a result while the database is away."""
_UNBEGUN = "The worker takes no more work and had not begun this match, so it gave it back."
_ILL = "The worker is ill and had not begun this match, so it gave it back."


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
    """Seats whose bots were already killed once in this deal group through no fault of theirs;
    another time counts as a fault."""

    def play(self, leases: Leases, sandbox: Sandbox) -> MatchOutcome:
        """Have the referee play it; LeaseLost if another worker has it."""
        leases.at(self.attempt, self.match, self.clock)

        def report(progress: Progress) -> None:
            leases.progress(self.attempt, progress.moves, progress.new_moves)

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
            on_poll=drain.stop_if_over,
        )


def assignments(claimed: Sequence[Attempt]) -> list[Assignment]:
    """The data for playing the matches of these attempts."""
    rows = (
        Seat.objects.filter(match__in=[attempt.match_id for attempt in claimed])
        .order_by("match", "index")
        .values_list("match", "version", "version__bot__name", "version__package", *_OF_THE_MATCH)
    )
    seats = {key: list(group) for key, group in groupby(rows, key=itemgetter(0))}
    return [_assignment(attempt, seats[attempt.match_id]) for attempt in claimed]


_OF_THE_MATCH: Final = (
    "match__format",
    "match__rng",
    "match__deal_group__seed",
    "match__deal_group__unlucky",
    "match__tournament__move_ms",
    "match__tournament__bank_ms",
    "match__tournament__fault_policy",
)


def _assignment(attempt: Attempt, seats: Sequence[tuple[Any, ...]]) -> Assignment:
    """`seats`: a row of `assignments` for each seat of the match, in their order."""
    format_text, rng, seed, unlucky, move_ms, bank_ms, policy = seats[0][4:]
    return Assignment(
        attempt=attempt.pk,
        match=attempt.match_id,
        fmt=parsed(format_text),
        seed=seed,
        rng=rng or None,
        players=tuple(
            SeatedBot(name, package_store.fetch(digest)) for _, _, name, digest, *_ in seats
        ),
        clock=ClockSettings(move_ms, bank_ms),
        fault_policy=policy,
        unlucky=frozenset(i for i, (_, version, *_) in enumerate(seats) if version in unlucky),
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
    began = time.monotonic()
    own = health.of_process(worker)
    own.trusted = sandbox.trusted
    stored = played = 0
    limit = 1  # a slow match would hold up the others of its claim
    limited = sandbox.trusted or bool(libraries.missing(libraries.LIBRARIES))
    with _pinned(cpu):
        while (
            not own.ill
            and not drain.draining()
            and (spent := time.monotonic() - began) < BATCH_SECONDS
        ):
            if played:
                fitting = (BATCH_SECONDS - spent) / (spent / played)
                limit = max(1, min(MAX_CLAIM, round(fitting)))
            claimed = attempts.claim(worker, limit, house_only=sandbox.trusted)
            if not claimed:
                if limited and not played and _others_wait():
                    own.plan_pause()
                break
            played += len(claimed)
            stored += _play_all(claimed, sandbox, own, on_hang)
            if own.takes_one_at_a_time:
                break
    return stored


@contextmanager
def _pinned(cpu: int | None) -> Iterator[None]:
    pin(cpu)
    try:
        yield
    finally:
        unpin()


def _others_wait() -> bool:
    """Whether matches wait, perhaps for a sandbox or a library that this process lacks."""
    return Match.objects.filter(DUE, state=Match.State.WAITING).exists()


def _play_all(
    claimed: Sequence[Attempt],
    sandbox: Sandbox,
    own: Health,
    on_hang: Callable[[], None] | None,
) -> int:
    stored = 0
    unplayed = [attempt.pk for attempt in claimed]
    begun = False
    try:
        with Leases(claimed, on_hang) as leases:
            ready = list(_ready(claimed, own))
            unplayed = [assignment.attempt for assignment in ready]
            for assignment in ready:
                if drain.draining():
                    raise drain.Stopped(_UNBEGUN)
                if own.ill:
                    raise drain.Stopped(_ILL)
                begun = True
                with at_work_on(match=assignment.match, attempt=assignment.attempt):
                    stored += _play_one(assignment, leases, sandbox, own)
                unplayed.remove(assignment.attempt)
    except drain.Stopped as stop:
        log.info("%d matches are given back: %s", len(unplayed), stop)
        attempts.release_attempts(unplayed, str(stop))
    except Exception as error:
        if database.away(error):
            raise  # the leases expire, and the sweep takes the matches back
        log.exception("A batch could not be played.")
        for attempt in unplayed[:1]:
            _failure_closer(attempt, error, own, seated=begun)()
        attempts.release_attempts(unplayed[1:], "Another match of the batch could not be played.")
    except BaseException:  # this process was told to stop
        attempts.release_attempts(unplayed, "The worker was stopped immediately.")
        raise
    return stored


def _ready(claimed: Sequence[Attempt], own: Health) -> Iterator[Assignment]:
    """The assignments; one that cannot be prepared, such as for a damaged package, fails alone."""
    try:
        ready = assignments(claimed)
    except Exception as error:
        if database.away(error):
            raise
        if len(claimed) > 1:
            for attempt in claimed:
                if own.ill:
                    attempts.release_attempts([attempt.pk], _ILL)
                else:
                    yield from _ready([attempt], own)
            return
        with at_work_on(match=claimed[0].match_id, attempt=claimed[0].pk):
            log.exception("Match %d cannot be prepared.", claimed[0].match_id)
            _failure_closer(claimed[0].pk, error, own, seated=False)()
        return
    yield from ready


def _play_one(assignment: Assignment, leases: Leases, sandbox: Sandbox, own: Health) -> bool:
    """Play a match and store its result; a failure of the platform closes the attempt."""
    try:
        outcome = assignment.play(leases, sandbox)
        _check_machine(outcome, own)
    except GivenBack:
        return False
    except LeaseLost:
        log.warning("Match %d is left to another worker.", assignment.match)
        return False
    except Exception as error:
        log.exception("Match %d could not be played.", assignment.match)
        # If a sandbox was unavailable, no bot has seen the cards.
        seated = not isinstance(error, SandboxUnavailable)
        if _write(assignment, _failure_closer(assignment.attempt, error, own, seated=seated)):
            leases.renew()  # the deal group's other matches may no longer need to be played
        return False
    finally:
        leases.done(assignment.attempt)
    stored = _store(assignment, outcome, own)
    if stored:
        own.succeeded()
        log.debug("Match %d is stored.", assignment.match)
    return stored


def _store(assignment: Assignment, outcome: MatchOutcome, own: Health) -> bool:
    """Store a result; if the database rejects it, close the attempt with the cause."""
    try:
        return _write(assignment, partial(_store_or_give_back, assignment, outcome))
    except Exception as error:
        if database.away(error):
            raise
        log.exception("The result of match %d cannot be stored.", assignment.match)
        _write(assignment, _failure_closer(assignment.attempt, error, own, seated=True))
        return False


def _store_or_give_back(assignment: Assignment, outcome: MatchOutcome) -> bool:
    """Store a result; give the match back if the database's schema has changed meanwhile."""
    try:
        return attempts.store_result(assignment.attempt, outcome)
    except DatabaseError as error:
        if database.away(error):
            raise
        why = schema.misfit(schema.applied(), schema.number())
        if not why:
            raise
        log.warning("Match %d is given back: %s (%s)", assignment.match, why, error)
        attempts.release_attempts([assignment.attempt], f"Its result could not be stored. {why}")
        return False


def _check_machine(outcome: MatchOutcome, own: Health) -> None:
    """RefereeError if all bots of a match failed and test bots also fail on this machine."""
    if len(outcome.faults) == len(outcome.seats) and (trouble := own.test()):
        raise RefereeError(f"All bots failed, and test bots failed, too: {trouble}")


def _failure_closer(
    attempt: int, error: Exception, own: Health, *, seated: bool
) -> Callable[[], bool]:
    """Judge whether this process caused a failure; return the call that closes the attempt."""
    cause = _cause(error)
    seat = getattr(error, "seat", None)
    try:
        failure = failure_of(attempt, cause, seat)
    except Error:
        failure = Failure(attempt, cause, elsewhere=True)  # does not count against this process
    counted = own.judge(failure)
    return partial(attempts.fail_attempt, attempt, cause, seat=seat, seated=seated, counted=counted)


def _write(assignment: Assignment, write: Callable[[], bool]) -> bool:
    """Call `write`, retrying while the database is away. A repeated `write` has no effect."""
    for delay in STORE_DELAYS:
        if drain.over():
            break  # the process must end now
        if delay:
            time.sleep(delay)
        try:
            return write()
        except Exception as error:
            if not database.away(error):
                raise
            log.warning("Match %d waits. %s", assignment.match, database.away_text(error))
            database.drop_connection()
    log.error("Match %d could not be stored; it will be played again.", assignment.match)
    return False


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:2000]


def plan_once() -> None:
    """Have PostgreSQL plan frequent queries once for each connection.

    Planning would be two thirds of the cost of storing a match. Only workers do this, because
    server-side binding limits a query to 65,535 values.
    """
    if connection.vendor == "postgresql":
        connection.close()
        connection.settings_dict["OPTIONS"].update(server_side_binding=True, prepare_threshold=3)


# --- the sandbox of this process ----------------------------------------------------------------

_place: tuple[Sandbox, int | None] | None = None


def place(index: int = 0) -> tuple[Sandbox, int | None]:
    """The sandbox and core of this process, created by the first call, after a fork.

    Without isolation only house bots play here, unsandboxed, and this is logged. `index` numbers
    the worker processes of this machine, which are spread over its cores.
    """
    global _place
    if _place is not None and _place[0].trusted and detect().level != "none":
        close_sandbox()
    if _place is None:
        isolation = detect()
        trusted = isolation.level == "none"
        if trusted:
            log.error("No sandbox here: only house bots are played. %s", isolation.reason)
        cpu = pick_cpu(index)
        _place = Sandbox(trusted=trusted, warm=settings.WARM_SANDBOXES, cpu=cpu), cpu
    return _place


def close_sandbox() -> None:
    """Close this process's sandbox."""
    global _place
    if _place is not None:
        _place[0].close()
        _place = None
