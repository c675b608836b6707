"""What each seat did in a match, counted: sweeps, canastas, stolen paks, time.

Pure: a record goes in, numbers come out. What belongs to a side (who had most cards) is counted for
each of its seats, so that two seats of one bot are two observations with the same mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from engine import Match, Record
from tournaments.standings.leads import Leads, leads, looks, standing

SHAPE: Final = 2
"""Version of what is counted; what was not counted before a change is counted by the new one."""

Unit = Literal["match", "deal", "share", "move"]
"""Of what a figure is the mean: of matches, of deals, a share of the deals, ms of moves."""
Events = Sequence[Mapping[str, Any]]


class Figure(NamedTuple):
    """Something that is counted."""

    name: str
    title: str
    unit: Unit


TIME: Final = Figure("time", "Time a move", "move")


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted in a match."""

    deals: int
    seats: list[dict[str, list[float]]]
    """By seat: figure → total, and of how many (deals, moves, …) it is the sum."""
    behind: list[int]
    """By side: by how many points it was behind at most after a deal; 0: never."""
    leads: Leads
    """How the lead went."""


class _Line(NamedTuple):
    """Points of a line of the score sheet (`engine.score_sheet.Line.key`)."""

    figure: Figure
    key: str
    each: int = 1  # points that one of them is worth


class _Event(NamedTuple):
    """How many each event of this type is worth to its seat."""

    figure: Figure
    type: str
    worth: Callable[[Mapping[str, Any]], float] = lambda event: 1.0  # noqa: ARG005 - each counts once


def _line(name: str, title: str, unit: Unit, each: int = 1) -> _Line:
    return _Line(Figure(name, title, unit), name, each)


def _moves(kind: str) -> Callable[[Mapping[str, Any]], float]:
    """1 for the moves that begin so; for several things at once (1+3) one for each."""

    def worth(event: Mapping[str, Any]) -> float:
        move: str = event["move"]
        return 1.0 + move.rpartition(":")[2].count("+") if move.startswith(kind) else 0.0

    return worth


def _begins(kind: str) -> Callable[[Mapping[str, Any]], float]:
    return lambda event: float(event["move"].startswith(kind))


_CASSINO: Final = (
    _line("sweeps", "Sweeps a match", "match"),
    _line("big_cassino", "Big Cassino captured", "share"),
    _line("little_cassino", "Little Cassino captured", "share"),
    _line("aces", "Aces a deal", "deal"),
    _line("cards", "Most cards", "share"),
    _line("spades", "Most spades", "share"),
)
_ZWICKER: Final = (
    _line("zwicks", "Zwicks a match", "match", each=3),
    _line("ten_of_diamonds", "Ten of diamonds captured", "share"),
    _line("aces", "Aces a deal", "deal"),
    _line("cards", "Most cards", "share"),
)
_CANASTA: Final = (
    _Event(Figure("canastas", "Canastas a deal", "deal"), "canasta"),
    _Event(
        Figure("naturals", "Natural canastas a deal", "deal"),
        "canasta",
        lambda event: float(event["kind"] == "natural"),
    ),
    _Event(Figure("piles", "Piles taken a deal", "deal"), "take"),
    _Event(Figure("out", "Went out", "share"), "out"),
    _Event(Figure("red3", "Red threes a deal", "deal"), "red3", lambda event: len(event["cards"])),
)
_SPOON_EYE: Final = (
    _Event(Figure("raised", "Masts raised a deal", "deal"), "raise"),
    _line("cards", "Cards won a deal", "deal"),
    _Event(Figure("stolen", "Crow’s nests stolen a deal", "deal"), "move", _begins("steal")),
)
_PAKS: Final = (
    _Event(Figure("paks", "Paks made a deal", "deal"), "move", _begins("pak:")),
    _Event(Figure("stolen", "Paks stolen a deal", "deal"), "move", _moves("steal:")),
    _Event(Figure("fed", "Cards fed to the table a deal", "deal"), "feed"),
)
_OF_GAME: Final[Mapping[str, tuple[_Line | _Event, ...]]] = MappingProxyType(
    {
        "cassino": _CASSINO,
        "zwicker": _ZWICKER,
        "canasta": _CANASTA,
        "spoon-eye": _SPOON_EYE,
        "paks": _PAKS,
    }
)


def figures(game: str) -> list[Figure]:
    """What is counted in a game, in the order in which pages show it."""
    return [*(each.figure for each in _OF_GAME.get(game, ())), TIME]


def count(record: Record) -> Counted:
    """Count a match from its record; RecordError, ValueError where it cannot be played again."""
    match = record.start()
    seats: list[dict[str, list[float]]] = [{} for _ in range(match.format.seats)]
    looked = looks(len(record.moves))
    standings = []
    for number, move in enumerate(record.moves):
        if number in looked:
            standings.append(standing(match))
        seat = match.turn
        match.step(move)
        match.proceed()
        if seat is not None and number < len(record.clock_ms):
            _add(seats[seat], TIME, record.clock_ms[number], 1)
    sheets = [deal["sheet"] for deal in match.deals]
    if sheets:
        _count_game(match, sheets, seats)
    course = leads([*standings, match.scores])
    return Counted(len(sheets), seats, _behind(sheets, len(match.format.sides)), course)


def _count_game(
    match: Match, sheets: Sequence[Mapping[str, Any]], seats: list[dict[str, list[float]]]
) -> None:
    events = match.events(None)
    for each in _OF_GAME.get(match.format.game, ()):
        whole = 1 if each.figure.unit == "match" else len(sheets)
        totals = (
            _of_line(match, sheets, each)
            if isinstance(each, _Line)
            else _of_events(events, each, len(seats))
        )
        for seat, total in enumerate(totals):
            if total is not None:
                _add(seats[seat], each.figure, total, whole)


def _of_line(
    match: Match, sheets: Sequence[Mapping[str, Any]], wanted: _Line
) -> list[float | None]:
    """By seat what its side got for a line; None everywhere if no sheet has the line."""
    fmt = match.format
    lines = [line for sheet in sheets for line in sheet["lines"] if line["key"] == wanted.key]
    if not lines:
        return [None] * fmt.seats
    found: list[float | None] = []
    for seat in range(fmt.seats):
        points = [line["points"][fmt.side(seat)] for line in lines]
        share = wanted.figure.unit == "share"
        found.append(sum(point > 0 for point in points) if share else sum(points) / wanted.each)
    return found


def _of_events(events: Events, wanted: _Event, seats: int) -> list[float | None]:
    totals = [0.0] * seats
    for event in events:
        if event["type"] == wanted.type:
            totals[event["seat"]] += wanted.worth(event)
    return [*totals]


def _add(figures: dict[str, list[float]], figure: Figure, total: float, of: int) -> None:
    known = figures.setdefault(figure.name, [0.0, 0])
    known[0] += total
    known[1] += of


def _behind(sheets: Sequence[Mapping[str, Any]], sides: int) -> list[int]:
    """By side its largest deficit after a deal that was not the last."""
    scores, behind = [0] * sides, [0] * sides
    for sheet in sheets[:-1]:
        if len(sheet["points"]) != sides:
            return [0] * sides
        scores = [old + new for old, new in zip(scores, sheet["points"], strict=True)]
        best = max(scores)
        behind = [max(old, best - own) for old, own in zip(behind, scores, strict=True)]
    return behind
