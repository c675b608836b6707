"""Ask a bot what it would play in positions of a finished match.

The questions to a seat follow from the record. So any bot can be asked the same questions, without
the other bots' packages. After each answer the match continues with the recorded move.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from bots.referee import protocol
from bots.referee.clock import Clock, ClockSettings, Stopwatch
from bots.referee.live_seat import LiveSeat, SandboxLike
from bots.referee.outcome import Fault, SeatedBot
from bots.referee.turns import seat_rng
from bots.sandbox import SeatClosed
from cardroom_base.core.json_shapes import convert_json
from engine import Match, Record


@dataclass(frozen=True, slots=True)
class RehearsedMove:
    """A decision of the record, and the bot's answer to it."""

    number: int
    """Number of the decision, from 0 over the whole match."""
    played: str
    """The move of the record."""
    move: str
    """The bot's move; empty if it committed a fault."""
    legal: bool
    note: str = ""

    @property
    def differs(self) -> bool:
        """Whether the bot would have played another move."""
        return self.move != self.played


class BotFaultError(Exception):
    """The bot's first fault, which ends the rehearsal; not an error of the platform."""

    def __init__(self, fault: Fault, log: bytes) -> None:
        super().__init__(f"{fault.kind} at move {fault.move}: {fault.detail}")
        self.fault = fault
        self.log = log


def start_line_of(record: Record, seat: int, clock: ClockSettings) -> bytes:
    """The start line of a seat; its random numbers are those of the match."""
    fmt = record.start().format
    return protocol.start_line(
        format_text=record.format,
        seat=seat,
        sides=fmt.sides,
        players=[str(player.get("name", "")) for player in record.players],
        clock=clock.as_json(),
        rng=seat_rng(record.seed if record.rng is None else record.rng, seat),
    )


def question_line_of(match: Match, seat: int, number: int, since: int, bank_ms: int) -> bytes:
    """The question for a seat; `since`: the number of events that were sent before."""
    return protocol.move_line(
        number,
        match.view(seat),
        match.legal_moves() if seat == match.turn else [],
        match.events(seat, since),
        truncated=match.truncated,
        bank_ms=bank_ms,
    )


def position(
    record: Record, number: int, clock: ClockSettings, seat: int | None = None
) -> dict[str, Any]:
    """The decision before move `number`: `seat`, `start` and `question` (the lines that a bot gets,
    with all events so far), and the `played` move. RecordError if the record is wrong.

    `seat`: by default the seat to move; another seat sees its own cards and has no legal moves.
    """
    match = record.start()
    for move in record.moves[:number]:
        match.play(move)
    assert match.turn is not None  # noqa: S101 - there is a move to be made
    seat = match.turn if seat is None else seat
    return {
        "seat": seat,
        "start": json.loads(start_line_of(record, seat, clock)),
        "question": json.loads(question_line_of(match, seat, number, 0, clock.bank_ms)),
        "played": record.moves[number],
    }


def rehearse(
    record: Record, seat: int, player: SeatedBot, *, sandbox: SandboxLike, clock: ClockSettings
) -> Iterator[RehearsedMove]:
    """Ask the bot about every decision of a seat, as the referee would have.

    Raises BotFaultError at the bot's first fault other than an illegal move.
    """
    match = record.start()
    process = sandbox.open(player.program, name="rehearsal")
    try:
        live_seat = LiveSeat(seat, player, process, Clock(clock))
        _start_bot(live_seat, start_line_of(record, seat, clock))
        deals_sent = 0
        for number, move in enumerate(record.moves):
            if match.turn == seat:
                for deal in match.deals_since(deals_sent):
                    deals_sent += 1
                    with suppress(SeatClosed):  # the next question reports it
                        process.send(
                            protocol.deal_line(deal["deal"], deal["dealer"], deal["sheet"])
                        )
                bank_ms = live_seat.clock.bank_ms
                line = question_line_of(match, seat, number, live_seat.events_sent, bank_ms)
                live_seat.events_sent = match.logged
                choice, note = _ask(live_seat, line, number)
                yield RehearsedMove(number, move, choice, match.is_legal(choice), note)
            match.play(move)
    finally:
        process.close()


class _CaseStart(TypedDict):
    format: str
    seat: int
    clock: ClockSettings


class _CaseQuestion(TypedDict):
    view: dict[str, Any]
    legal: Annotated[list[str], Meta(min_length=1)]
    n: NotRequired[int]
    events: NotRequired[list[dict[str, Any]]]
    truncated: NotRequired[bool]


class _CaseShape(TypedDict):
    start: _CaseStart
    question: _CaseQuestion
    played: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Case:
    """A single decision from `position`, which suffices to ask any bot."""

    start: dict[str, Any]
    question: dict[str, Any]
    played: str

    def guess(self) -> Match:
        """A match that looks the same to the seat; ValueError if the view is invalid."""
        return Match.from_view(self.question["view"], Random(0))


def parse_case(data: Any) -> Case:
    """Read a case from untrusted data. Raises ShapeError."""
    convert_json(data, _CaseShape)
    question = {"n": 0, "events": [], "truncated": False, **data["question"]}
    return Case(data["start"], question, data.get("played", ""))


def ask_case(case: Case, player: SeatedBot, *, sandbox: SandboxLike) -> Iterator[RehearsedMove]:
    """The bot's answer to a case. Raises BotFaultError at a fault other than an illegal move."""
    process = sandbox.open(player.program, name="case")
    try:
        clock = Clock(convert_json(case.start["clock"], ClockSettings))
        live_seat = LiveSeat(case.start["seat"], player, process, clock)
        _start_bot(live_seat, protocol.encode(case.start))
        number = case.question["n"]
        move, note = _ask(live_seat, protocol.encode(case.question), number)
    finally:
        process.close()
    yield RehearsedMove(number, case.played, move, _is_legal(case, move), note)


def _is_legal(case: Case, move: str) -> bool:
    """Whether a move is legal: it is listed or, if the list was truncated, the rules allow it."""
    if move in case.question["legal"] or not case.question["truncated"]:
        return move in case.question["legal"]
    try:
        return case.guess().is_legal(move)
    except ValueError:
        return False


def _start_bot(live_seat: LiveSeat, line: bytes) -> None:
    live_seat.send_start(line)
    fault = live_seat.await_ready(Stopwatch())
    if fault is not None:
        raise BotFaultError(fault, live_seat.process.stderr())
    live_seat.end_turn()


def _ask(live_seat: LiveSeat, line: bytes, number: int) -> tuple[str, str]:
    """The bot's (move, note); BotFaultError if it committed a fault."""
    reply = live_seat.ask(number, line, "No answer in time.")
    if isinstance(reply, Fault):
        raise BotFaultError(reply, live_seat.process.stderr())
    live_seat.clock.charge(reply.spent_ns)
    return reply.move, reply.note or ""
