"""Play a measurement: deal groups against levels, in threads that mostly wait for the endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from statistics import fmean
from threading import Condition, Thread
from time import sleep
from typing import Final, Literal

from msgspec.structs import replace

from bots.cli.common import UsageError
from bots.referee import house
from bots.referee.house import LEVELED, PREFIX
from bots.referee.outcome import SeatedBot
from bots.referee.turns import seat_rng
from engine import Format, Match, Record
from tournaments.deal_groups import group_seed, match_points, rotations
from tournaments.measure import prompts
from tournaments.measure.endpoint import Endpoint, EndpointError, Interrupted, Reply
from tournaments.measure.estimate import Estimate, GroupResult, estimate, level_ratings
from tournaments.measure.house_moves import Mover
from tournaments.measure.journal import Call, Folder, MatchName, RecordedReplies

MAX_GROUPS: Final = 1_000
"""The maximum number of deal groups of a measurement."""
MAX_QUOTED: Final = 4_000
"""Maximum number of characters of a wrong reply that the second attempt repeats to the model."""
_CHARS_PER_TOKEN: Final = 4

Stop = Literal["within", "budget", "groups", "interrupted", "endpoint"]


@dataclass(frozen=True, slots=True)
class Goal:
    """The conditions that end a measurement."""

    within: float
    """Half the width of the rating's 95 % interval, in Elo points."""
    calls: int | None = None
    """Maximum requests, including failed ones."""
    tokens: int | None = None
    """Maximum tokens; running requests may exceed it."""


@dataclass(frozen=True, slots=True)
class MeasurementProgress:
    """The state of a running measurement."""

    estimate: Estimate
    groups: int
    moves: int
    """Moves played in this run, including repetitions after `--resume`."""
    calls: int
    tokens: int


@dataclass(slots=True)
class _Group:
    level: int
    points: dict[int, float] = field(default_factory=dict)
    """The model's points by rotation of finished matches."""
    started: set[int] = field(default_factory=set)
    """Rotations that have been given to a thread in this run, or are finished."""


class Run:
    """A measurement: `play` returns when it is done or stopped."""

    def __init__(
        self, fmt: Format, seed: str, endpoint: Endpoint, goal: Goal, folder: Folder, mover: Mover
    ) -> None:
        """Load the matches of earlier runs from `folder`."""
        self.fmt, self.seed, self.goal, self.folder = fmt, seed, goal, folder
        self.levels = level_ratings(fmt)
        self.calls: dict[MatchName, list[Call]] = {}
        self.records: dict[MatchName, Record] = {}
        self.stop: Stop | None = None
        self.failure = ""
        """Why the endpoint failed permanently."""
        self._endpoint, self._mover = endpoint, mover
        self.system = prompts.system_prompt(fmt)
        self._changed = Condition()
        self._groups: dict[int, _Group] = {}
        self._moves = self._requests = self._tokens = self._running = 0
        self._error: BaseException | None = None
        self._on_progress: Callable[[MeasurementProgress], None] = _ignore
        self._estimate: tuple[int, Estimate] | None = None
        """The estimate of this number of deal groups."""
        self._usual_calls = _estimate_decisions(fmt, seed)
        for name in folder.matches():
            self._load(name)

    @property
    def results(self) -> list[GroupResult]:
        """The finished deal groups."""
        sides = len(self.fmt.sides)
        return [
            GroupResult(number, group.level, sides, sum(group.points.values()) / sides)
            for number, group in sorted(self._groups.items())
            if len(group.points) == sides
        ]

    @property
    def estimate(self) -> Estimate:
        """The rating so far."""
        results = self.results
        if self._estimate is None or self._estimate[0] != len(results):
            self._estimate = len(results), estimate(results, self.levels)
        return self._estimate[1]

    def model_seats(self, name: MatchName) -> list[int]:
        """The seats of the model in a match."""
        return [seat for seat, model in enumerate(self._seating(name)) if model]

    def play(
        self,
        jobs: int,
        on_progress: Callable[[MeasurementProgress], None],
        on_interrupt: Callable[[], None],
    ) -> None:
        """Play with `jobs` matches at a time. After Ctrl-C the running requests are completed; a
        second Ctrl-C does not wait for them."""
        self._on_progress = on_progress
        self._running = jobs
        for _ in range(jobs):
            Thread(target=self._work, daemon=True).start()
        try:
            self._wait_for_threads()
        except KeyboardInterrupt:
            self._halt("interrupted")
            on_interrupt()
            try:
                self._wait_for_threads()
            except KeyboardInterrupt:
                return
        if self._error is not None:
            raise self._error

    def _wait_for_threads(self) -> None:
        """Wait until no thread runs.

        Not by `Thread.join`: in Python 3.11, Ctrl-C in it marks a running thread as ended.
        """
        while self._running:
            sleep(0.02)

    def _work(self) -> None:
        try:
            while (name := self._next_match()) is not None:
                record = self._play_match(name)
                with self._changed:
                    self._finish(name, record)
                    self._changed.notify_all()
                self._report_progress()
        except Interrupted:
            pass
        except EndpointError as error:
            self.failure = self.failure or str(error)
            self._halt("endpoint")
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            self._error = error
            self._halt("endpoint")
        finally:
            with self._changed:
                self._running -= 1

    def _halt(self, reason: Stop) -> None:
        # Before taking the lock, which the code that a signal interrupted may hold.
        self._endpoint.stopping.set()
        with self._changed:
            self.stop = self.stop or reason
            self._changed.notify_all()

    def _next_match(self) -> MatchName | None:
        """The next match for a thread; waits while results may make it unnecessary."""
        with self._changed:
            while not self._endpoint.stopping.is_set():
                name = self._unstarted_match()
                if name is None and self._needs_group():
                    number = max(self._groups, default=0) + 1
                    self._groups[number] = _Group(self.estimate.next_level)
                    name = self._unstarted_match()
                if name is not None:
                    self._groups[name.group].started.add(name.turn)
                    return name
                if not self._count_pending():
                    self.stop = self.stop or self._stop_reason()
                    self._changed.notify_all()
                    return None
                self._changed.wait()
        return None

    def _unstarted_match(self) -> MatchName | None:
        turns = range(1, len(self.fmt.sides) + 1)
        return next(
            (
                MatchName(number, group.level, turn)
                for number, group in sorted(self._groups.items())
                for turn in turns
                if turn not in group.started
            ),
            None,
        )

    def _count_pending(self) -> int:
        """Number of begun deal groups that are not finished."""
        return len(self._groups) - len(self.results)

    def _needs_group(self) -> bool:
        """Whether the target needs another deal group now, and the budget allows it."""
        finished, pending = len(self.results), self._count_pending()
        expected = self.estimate.margin * sqrt(max(finished, 1) / (max(finished, 1) + pending))
        if finished + pending >= MAX_GROUPS or (finished and expected <= self.goal.within):
            return False
        return self._is_affordable(matches=(pending + 1) * len(self.fmt.sides))

    def _is_affordable(self, matches: int) -> bool:
        """Whether the budget probably suffices for this many more matches."""
        finished = [self.calls.get(name, []) for name in self.records]
        calls = fmean(map(len, finished)) if finished else float(self._usual_calls)
        mean_tokens = len(self.system) / _CHARS_PER_TOKEN + 300
        if self._requests:
            mean_tokens = self._tokens / self._requests
        goal, calls_needed = self.goal, matches * calls
        return (goal.calls is None or self._requests + calls_needed <= goal.calls) and (
            goal.tokens is None or self._tokens + calls_needed * mean_tokens <= goal.tokens
        )

    def _stop_reason(self) -> Stop:
        """Why no further deal group begins."""
        if self.results and self.estimate.margin <= self.goal.within:
            return "within"
        return "groups" if len(self.results) >= MAX_GROUPS else "budget"

    def _finish(self, name: MatchName, record: Record) -> None:
        self.records[name] = record
        result = record.result or {}
        side = self.fmt.side(self.model_seats(name)[0])
        self._groups[name.group].points[name.turn] = match_points(result["ranks"])[side]

    def _report_progress(self) -> None:
        with self._changed:
            results = self.results
            progress = MeasurementProgress(
                self.estimate, len(results), self._moves, self._requests, self._tokens
            )
        self._on_progress(progress)

    def _load(self, name: MatchName) -> None:
        sides = len(self.fmt.sides)
        group = self._groups.setdefault(name.group, _Group(name.level))
        if (
            group.level != name.level
            or not 1 <= name.turn <= sides
            or name.level not in self.levels
        ):
            raise UsageError(
                f"{self.folder.path} has matches of other measurements, such as {name}."
            )
        self.calls[name] = self.folder.calls(name)
        for call in self.calls[name]:
            self._count(call)
        record = self.folder.record(name)
        if record is None:
            return
        match = self._match(name)
        if (record.format, record.seed) != (str(self.fmt), match.seed):
            raise UsageError(f"{self.folder.path} has a record of another match: {name}.json.")
        group.started.add(name.turn)
        self._finish(name, record)

    def _count(self, call: Call) -> None:
        self._requests += 1
        self._tokens += tokens_of(call)

    def _seating(self, name: MatchName) -> tuple[bool, ...]:
        """By seat, whether the model sits there."""
        sides = self.fmt.sides
        return rotations(sides, [number == 0 for number in range(len(sides))])[name.turn - 1]

    def _match(self, name: MatchName) -> Match:
        return Match(self.fmt, seed=group_seed(self.seed, "measure", name.group))

    def _play_match(self, name: MatchName) -> Record:
        """Play a match to its end; requests with a recorded reply are not repeated."""
        match, model_seats = self._match(name), self._seating(name)
        seed = match.seed or ""
        rngs = [Random(seat_rng(seed, seat)) for seat in range(self.fmt.seats)]
        seen = [0] * self.fmt.seats
        player = _Model(self, name, RecordedReplies(self.calls.setdefault(name, [])))
        clock_ms: list[int] = []
        while (seat := match.turn) is not None:
            if self._endpoint.stopping.is_set():
                raise Interrupted
            ms = 0
            logged_before = match.logged
            if model_seats[seat]:
                move, ms = player.move(match, len(clock_ms), seen[seat])
            else:
                move = self._mover(match, name.level, rngs[seat])
            seen[seat] = logged_before
            match.play(move)
            clock_ms.append(ms)
            with self._changed:
                self._moves += 1
            self._report_progress()
        expert = SeatedBot(
            f"{PREFIX}{LEVELED}-{name.level}", house.load(f"{LEVELED}-{name.level}")
        ).as_json()
        record = Record.of(
            match,
            [{"name": self._endpoint.model} if is_model else expert for is_model in model_seats],
        )
        record.clock_ms, record.notes = clock_ms, player.notes
        self.folder.add_record(name, record)
        return record

    def ask(self, name: MatchName, call: Call, messages: Sequence[dict[str, str]]) -> Reply:
        """The endpoint's reply; counts and records requests that fail, as `call` with an error."""
        return self._endpoint.ask(
            [{"role": "system", "content": self.system}, *messages],
            self._spend,
            lambda reason: self.add(name, replace(call, error=reason)),
        )

    def add(self, name: MatchName, call: Call) -> None:
        """Record an answered or failed request."""
        self.folder.add_call(name, call)
        with self._changed:
            self.calls[name].append(call)
            self._tokens += tokens_of(call)
        self._report_progress()

    def _spend(self) -> None:
        """Count a request before it is sent; Interrupted if the budget is spent."""
        goal = self.goal
        with self._changed:
            is_spent = (goal.calls is not None and self._requests >= goal.calls) or (
                goal.tokens is not None and self._tokens >= goal.tokens
            )
            if not is_spent:
                self._requests += 1
                return
        self._halt("budget")
        raise Interrupted


class _Model:
    """The model as a player of one match."""

    def __init__(self, run: Run, name: MatchName, replies: RecordedReplies) -> None:
        self.notes: dict[str, str] = {}
        self._run, self._name, self._replies = run, name, replies

    def move(self, match: Match, n: int, seen: int) -> tuple[str, int]:
        """(the move, milliseconds of its requests). If only one move is legal, it is played without
        a request.

        After two replies that are not a legal move, the first legal move is played.
        """
        legal, seat = match.legal_moves(), match.turn or 0
        if len(legal) == 1 and not match.truncated:
            return legal[0], 0
        text, ms = prompts.question(match, seat, seen), 0
        messages: list[dict[str, str]] = []
        for attempt in (1, 2):
            messages.append({"role": "user", "content": text})
            call = self._replies.find(n, attempt)
            if call is None:
                call = self._ask(match, Call(n=n, seat=seat, attempt=attempt), messages)
            elif call.prompt != text:
                raise UsageError(
                    f"{self._name} was begun by a version of Cardroom that words its questions "
                    "differently, so it cannot be resumed."
                )
            parsed = prompts.read_reply(call.reply, match, cut=call.cut)
            ms += call.ms
            if parsed.move is not None:
                return parsed.move, ms
            quoted = call.reply[-MAX_QUOTED:] or "(empty)"
            messages.append({"role": "assistant", "content": quoted})
            text = prompts.retry_message(parsed)
        self.notes[str(n)] = f"The first legal move: the second reply was {parsed.problem}, too."
        return legal[0], ms

    def _ask(self, match: Match, call: Call, messages: list[dict[str, str]]) -> Call:
        reply = self._run.ask(self._name, call, messages)
        parsed = prompts.read_reply(reply.text, match, cut=reply.cut)
        call = replace(
            call,
            prompt=messages[-1]["content"],
            chars=len(self._run.system) + sum(len(message["content"]) for message in messages),
            reply=reply.text,
            cut=reply.cut,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            ms=reply.ms,
            move=parsed.move,
            problem=parsed.problem,
        )
        self._run.add(self._name, call)
        return call


def tokens_of(call: Call) -> int:
    """The tokens of a call; estimated from its texts if the endpoint did not report them."""
    if call.error is not None:
        return 0
    if call.prompt_tokens is None and call.completion_tokens is None:
        return (call.chars + len(call.reply)) // _CHARS_PER_TOKEN
    return (call.prompt_tokens or 0) + (call.completion_tokens or 0)


def _ignore(_progress: MeasurementProgress) -> None: ...


def _estimate_decisions(fmt: Format, seed: str) -> int:
    """The decisions of a side in a random match: the usual number of requests in a match."""
    match, rng, decisions = Match(fmt, seed=seed), Random(seed), 0
    while match.turn is not None:
        legal = match.legal_moves()
        decisions += len(legal) > 1
        match.play(rng.choice(legal))
    return max(decisions // len(fmt.sides), 1)
