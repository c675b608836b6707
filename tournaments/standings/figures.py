"""What each seat did in a match, counted: sweeps, canastas, stolen paks, time.

Pure: a record goes in, numbers come out. What belongs to a side (who had most cards) is counted for
each of its seats, so that two seats of one bot are two observations with the same mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import Match, Record, registry
from engine.figures import Figure
from tournaments.standings.leads import Leads, leads, looks, standing

SHAPE: Final = 2
"""Version of what is counted; what was not counted before a change is counted by the new one."""

Events = Sequence[Mapping[str, Any]]

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


def figures(game: str) -> list[Figure]:
    """What is counted in a game, in the order in which pages show it; of a game that the site no
    longer has only the time."""
    try:
        return [*registry.game(game).figures, TIME]
    except ValueError:
        return [TIME]


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
    for figure in match.format.spec.figures:
        whole = 1 if figure.unit == "match" else len(sheets)
        totals = (
            _of_events(events, figure, len(seats))
            if figure.event
            else _of_line(match, sheets, figure)
        )
        for seat, total in enumerate(totals):
            if total is not None:
                _add(seats[seat], figure, total, whole)


def _of_line(
    match: Match, sheets: Sequence[Mapping[str, Any]], figure: Figure
) -> list[float | None]:
    """By seat what its side got for a line; None everywhere if no sheet has the line."""
    fmt = match.format
    lines = [line for sheet in sheets for line in sheet["lines"] if line["key"] == figure.name]
    if not lines:
        return [None] * fmt.seats
    totals: list[float | None] = []
    for seat in range(fmt.seats):
        points = [line["points"][fmt.side(seat)] for line in lines]
        share = figure.unit == "share"
        totals.append(sum(point > 0 for point in points) if share else sum(points) / figure.points)
    return totals


def _of_events(events: Events, figure: Figure, seats: int) -> list[float | None]:
    totals = [0.0] * seats
    for event in events:
        if event["type"] == figure.event:
            totals[event["seat"]] += figure.worth(event)
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
