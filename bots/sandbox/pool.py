"""Open seats from a pool of runners that wait for a bot."""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Final, Self

from bots.sandbox import libraries, pinning, pipes, process
from bots.sandbox.bot_process import BotProcess
from bots.sandbox.forkserver import Forkserver
from bots.sandbox.isolation import TRUSTED, detect
from bots.sandbox.libraries import Needs
from bots.sandbox.model import Limits, Program, SandboxUnavailable
from bots.sandbox.process import Process
from bots.sandbox.seccomp import Runtime

log = logging.getLogger(__name__)

# Sandboxes of one match start in parallel.
_STARTERS: Final = 4
# After this many failures in a row, runners are no longer forked.
_MAX_FORK_FAILURES: Final = 3


class Sandbox:
    """Opens seats: bot processes, each in its own sandbox.

    Create it in the process that uses it (after a fork, not before). Its methods may be called from
    any thread. Closing it ends all its seats; if this process dies, they die with it.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        trusted: bool = False,
        warm: int = 0,
        cpu: int | None = None,
        variables: Sequence[str] = (),
    ) -> None:
        """Prepare the sandbox.

        trusted: run bots without isolation; only for your own bots.
        warm: number of sandboxes that wait for a bot; about twice a match's seats, so that the next
            match need not wait. If not 0, runners of Python bots are forked instead of started.
            Once a bot has needed libraries, the same number waits for bots that need these
            libraries; their runners are always forked, because loading numpy takes 0.1 s.
        cpu: the core for all seats, to which the referee's thread is pinned, too.
        variables: names of environment variables that trusted bots get.
        Raises SandboxUnavailable if bots cannot be isolated, unless trusted.
        """
        self.isolation = TRUSTED if trusted else detect()
        if not trusted and self.isolation.level == "none":
            raise SandboxUnavailable(self.isolation.reason)
        self.limits = limits or Limits()
        self.trusted = trusted
        self._variables = variables
        self._fork_failures = 0
        self._servers: dict[Needs, Forkserver] = {}
        self._servers_lock = threading.RLock()
        self._cpu = cpu
        self._warm_count = warm
        self._lock = threading.Lock()
        self._closed = False
        self._waiting: dict[Needs, deque[Process]] = defaultdict(deque)
        self._starting = Counter[Needs]()
        self._needs_by_seat: dict[BotProcess, Needs] = {}
        self._seats: set[BotProcess] = set()
        # A trusted runner dies with the *thread* that started it, so these threads live as long as
        # this object.
        self._starters = ThreadPoolExecutor(
            _STARTERS, thread_name_prefix="sandbox", initializer=pinning.unpin
        )
        self._refill()

    def open(self, program: Program, *, name: str) -> BotProcess:
        """Start one bot, in a waiting sandbox if there is one.

        name: the seat's name in messages. Raises SandboxUnavailable if no sandbox can be started,
        which is the machine's fault. The bot's own faults appear at the first question.
        """
        if missing := libraries.missing(program.needs):
            raise SandboxUnavailable(f"This machine has no {', '.join(missing)} for bots.")
        # Warm sandboxes contain the runtime of Python bots only.
        runner = self._take(program.needs) if program.runtime == "python" else None
        if runner is None:
            runner = self._start_now(program.runtime, program.needs)
        try:
            pinning.pin(self._cpu, runner.pid)
            if program.runtime == "command":
                pipes.hide_pipe_count()  # on the core where the bot will create its own
            load = process.load_message(program, self.limits, runner.folder)
            seat = BotProcess(runner, self.limits, load, name, self._forget)
        except OSError as error:
            runner.abandon()
            raise SandboxUnavailable(f"The sandbox died before it had its bot: {error}") from error
        except BaseException:
            runner.abandon()
            raise
        with self._lock:
            closed = self._closed
            self._seats.add(seat)
            if program.needs:
                self._needs_by_seat[seat] = program.needs
        if closed:
            seat.close(grace_s=0.0)
            raise SandboxUnavailable("This sandbox is closed.")
        return seat

    def waiting(self) -> int:
        """Number of warm sandboxes that are ready, of the kind that has the fewest."""
        with self._lock:
            return min(map(len, self._waiting.values()), default=0)

    def close(self) -> None:
        """Stop all seats and waiting sandboxes. May be called twice."""
        with self._lock:
            self._closed = True
            seats, self._seats = self._seats, set()
        with ExitStack() as cleanup:  # close each, even if closing others fails
            # Last, because runners die with these threads, and nobody would then reap them.
            cleanup.callback(self._starters.shutdown, wait=True)
            cleanup.callback(self._end_servers)
            for runners in self._waiting.values():
                for runner in runners:
                    cleanup.callback(runner.abandon)
            self._waiting.clear()
            for seat in seats:
                cleanup.callback(seat.close, grace_s=0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forget(self, seat: BotProcess) -> None:
        """Forget a closed seat, then refill the pool; an earlier refill would delay the start of
        the other seats."""
        with self._lock:
            self._seats.discard(seat)
            needs = self._needs_by_seat.pop(seat, ())
        self._refill(needs)

    def _take(self, needs: Needs) -> Process | None:
        """Take a waiting runner that is still alive; None if there is none."""
        while True:
            try:
                runner = self._waiting[needs].popleft()
            except IndexError:
                return None
            if runner.popen.poll() is None:
                return runner
            runner.abandon()

    def _start_now(self, runtime: Runtime, needs: Needs) -> Process:
        """Start a runner now."""
        with self._lock:
            if self._closed:
                raise SandboxUnavailable("This sandbox is closed.")
            future = self._starters.submit(self._start, runtime, needs)
        try:
            return future.result()
        except BaseException:  # after an interrupt of this thread, nobody would close the runner
            future.add_done_callback(_abandon)
            raise

    def _start(self, runtime: Runtime, needs: Needs) -> Process:
        """A new runner, forked if possible. Raises SandboxUnavailable."""
        if self.trusted:
            return process.start_trusted(
                self.limits, runtime=runtime, needs=needs, variables=self._variables
            )
        can_fork = runtime == "python" and bool(self._warm_count or needs)
        if can_fork and self._fork_failures < _MAX_FORK_FAILURES:
            try:
                runner = self._forkserver(needs).start(self.limits)
            except SandboxUnavailable as error:
                if self._closed:
                    raise
                self._fork_failures += 1
                log.warning("No runner could be forked; one is started instead: %s", error)
            else:
                self._fork_failures = 0
                return runner
        return process.start(self.limits, runtime=runtime, needs=needs)

    def _forkserver(self, needs: Needs) -> Forkserver:
        """The server with these libraries; a new one if it has ended."""
        with self._servers_lock:
            if needs in self._servers and self._servers[needs].has_ended:
                self._servers.pop(needs).close()
            if self._closed:
                raise SandboxUnavailable("This sandbox is closed.")
            if needs not in self._servers:
                self._servers[needs] = Forkserver(needs)
            return self._servers[needs]

    def _end_servers(self) -> None:
        with self._servers_lock, ExitStack() as cleanup:
            for server in self._servers.values():
                cleanup.callback(server.close)
            self._servers.clear()

    def _refill(self, needs: Needs = ()) -> None:
        with self._lock:
            if self._closed:
                return
            missing = self._warm_count - len(self._waiting[needs]) - self._starting[needs]
            for _ in range(max(0, missing)):
                self._starting[needs] += 1
                self._starters.submit(self._warm_up, needs)

    def _warm_up(self, needs: Needs) -> None:
        """Start a runner in advance. If that fails, `open` tries again and reports the error."""
        runner = None
        try:
            if not self._closed:
                with suppress(SandboxUnavailable):
                    runner = self._start("python", needs)
        finally:
            with self._lock:
                self._starting[needs] -= 1
                if runner is not None and not self._closed:
                    self._waiting[needs].append(runner)
                    runner = None
            if runner is not None:
                runner.abandon()


def _abandon(future: Future[Process]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().abandon()


@contextmanager
def sandbox_on_one_core(
    limits: Limits,
    *,
    trusted: bool,
    warm: int = 0,
    cpu: int | None,
    variables: Sequence[str] = (),
) -> Iterator[Sandbox]:
    """A sandbox whose bots share the core `cpu` with this thread, as on a worker."""
    with Sandbox(limits, trusted=trusted, warm=warm, cpu=cpu, variables=variables) as sandbox:
        pinning.pin(cpu)
        try:
            yield sandbox
        finally:
            pinning.unpin()
