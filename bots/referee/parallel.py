"""Play matches on several cores: worker processes, each with a referee, a core and a sandbox."""

from __future__ import annotations

import atexit
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, Self

from bots.referee.clock import ClockSettings
from bots.referee.in_process import InProcessSandbox, InProcessSeat
from bots.referee.live_seat import LiveSeat, SandboxLike
from bots.referee.outcome import MatchOutcome, Progress, RefereeError, SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Limits, pick_cpu, pin, sandbox_on_one_core
from cardroom_base.core.worker_pool import WorkerPool
from engine import Format
from engine.declarations import join_words

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

_QUEUED_PER_PROCESS: Final = 2
"""Matches submitted per process, so that each process has its next match waiting."""


@dataclass(frozen=True, slots=True)
class SeatedMatch:
    """A match to play: its number, its cards and its seats."""

    number: int
    seed: str
    seats: tuple[int, ...]
    """The index in `MatchConditions.players` of each seat's bot."""
    rng: str | None = None


@dataclass(frozen=True, slots=True)
class MatchConditions:
    """The conditions that all matches share."""

    format: str
    players: tuple[SeatedBot, ...]
    clock: ClockSettings
    limits: Limits = field(default_factory=Limits)
    trusted: bool = False
    """Whether the bots run without a sandbox, in processes of their own."""
    in_process: bool = False
    """Whether the bots run inside the worker processes."""
    variables: tuple[str, ...] = ()
    """Names of the environment variables that trusted bots get."""


class MatchPool:
    """Plays matches in `jobs` processes, or with one job in this process; use it with `with`.

    Outcomes do not depend on `jobs`. In-process bots always run in worker processes, even
    with one job: those have a sandbox's hash seed and can be killed.
    """

    def __init__(self, conditions: MatchConditions, jobs: int) -> None:
        self._conditions = conditions
        self._jobs = jobs
        self._local_worker: _MatchWorker | None = None
        self._executor: WorkerPool | None = None
        self._waiting: dict[Future[MatchOutcome], SeatedMatch] = {}
        """The matches being played or queued in processes."""
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._jobs == 1 and not self._conditions.in_process:
            self._local_worker = self._stack.enter_context(
                _MatchWorker(self._conditions, pick_cpu(0))
            )
        else:
            self._executor = self._stack.enter_context(_worker_pool(self._conditions, self._jobs))
        return self

    def __exit__(self, *error: object) -> None:
        """End the processes and their bots; after an error, do not wait for their matches."""
        self._stack.__exit__(*error)  # type: ignore[arg-type] # as given

    def play(
        self,
        matches: Iterable[SeatedMatch],
        on_progress: Callable[[SeatedMatch, Progress], None] | None = None,
    ) -> Iterator[tuple[SeatedMatch, MatchOutcome]]:
        """Play matches; yield each with its outcome, in the order in which they end.

        `on_progress` is called within a match, if it is played in this process. Raises
        `SandboxUnavailable` and `RefereeError` as the referee does.
        """
        if self._local_worker is not None:
            for match in matches:
                progress = partial(on_progress, match) if on_progress else None
                yield match, self._local_worker.play(match, progress)
            return
        if self._executor is None:
            raise RuntimeError("The pool is not open.")
        try:
            yield from self._play_in_workers(self._executor, iter(matches))
        except BrokenProcessPool:
            raise RefereeError(self._death_text()) from None

    def _play_in_workers(
        self, executor: WorkerPool, matches: Iterator[SeatedMatch]
    ) -> Iterator[tuple[SeatedMatch, MatchOutcome]]:
        waiting = self._waiting
        while True:
            for match in islice(matches, self._jobs * _QUEUED_PER_PROCESS - len(waiting)):
                waiting[executor.submit(_play, match)] = match
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                outcome = future.result()
                yield waiting.pop(future), outcome

    def _death_text(self) -> str:
        """The reason of an error after a worker process has died."""
        seats = dict.fromkeys(seat for match in self._waiting.values() for seat in match.seats)
        names = [self._conditions.players[seat].name for seat in seats]
        what = "the machine killed it"
        if self._conditions.in_process:
            what += ", or one of the bots inside it ended it"
        return f"A process that played matches of {join_words(names, 'and')} died: {what}."


@contextmanager
def _worker_pool(conditions: MatchConditions, jobs: int) -> Iterator[WorkerPool]:
    core_numbers = multiprocessing.get_context("spawn").SimpleQueue()
    for number in range(jobs):
        core_numbers.put(number)
    with _with_fixed_hash_seed(), WorkerPool(jobs, _set_up, conditions, core_numbers) as pool:
        yield pool


@contextmanager
def _with_fixed_hash_seed() -> Iterator[None]:
    """Let the processes inherit the hash seed that bots have in a sandbox."""
    seed = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "0"
    try:
        yield
    finally:
        if seed is None:
            del os.environ["PYTHONHASHSEED"]
        else:
            os.environ["PYTHONHASHSEED"] = seed


class _MatchWorker:
    """A referee with its core and sandbox."""

    def __init__(self, conditions: MatchConditions, cpu: int | None) -> None:
        self._conditions = conditions
        self._format = Format.parse(conditions.format)
        self._cpu = cpu
        self._stack = ExitStack()
        self._sandbox: SandboxLike
        self._seat_type: type[LiveSeat] = LiveSeat

    def __enter__(self) -> Self:
        conditions = self._conditions
        if conditions.in_process:
            self._sandbox = self._stack.enter_context(InProcessSandbox(conditions.limits))
            self._seat_type = InProcessSeat
            pin(self._cpu)
        else:
            self._sandbox = self._stack.enter_context(
                sandbox_on_one_core(
                    conditions.limits,
                    trusted=conditions.trusted,
                    cpu=self._cpu,
                    variables=conditions.variables,
                )
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def play(
        self, match: SeatedMatch, on_progress: Callable[[Progress], None] | None = None
    ) -> MatchOutcome:
        return play_match(
            self._format,
            match.seed,
            [self._conditions.players[number] for number in match.seats],
            sandbox=self._sandbox,
            rng=match.rng,
            clock=self._conditions.clock,
            seat_type=self._seat_type,
            on_progress=on_progress,
        )


_worker: _MatchWorker | None = None
"""The worker of this process, if it is a worker process."""


def _set_up(conditions: MatchConditions, core_numbers: SimpleQueue[int]) -> None:
    global _worker
    os.dup2(2, 1)  # the command's output must not contain what a bot in this process writes
    _worker = _MatchWorker(conditions, pick_cpu(core_numbers.get()))
    atexit.register(_worker.__exit__)
    _worker.__enter__()


def _play(match: SeatedMatch) -> MatchOutcome:
    if _worker is None:
        raise RuntimeError("This process was not set up.")
    return _worker.play(match)
