"""Count each seat's figures in a match's record: sweeps, canastas, stolen paks, time. Pure.

A figure of a side, such as most cards, counts for each of its seats. So two seats of one bot are
two observations with the same mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import Match, Record, registry
from engine.figures import Figure
from tournaments.standings.leads import Leads, leads_of, sample_moves, standing_now

SHAPE: Final = 2
"""Version of the figures; matches counted by an older version are counted again."""

Events = Sequence[Mapping[str, Any]]

TIME: Final = Figure("time", "Time a move", "move")


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The figures of a match."""

    deals: int
    seats: list[dict[str, list[float]]]
    """By seat and figure: [total, number of matches, deals or moves (`Figure.unit`)]."""
    behind: list[int]
    """By side: its largest deficit in points after a deal, except the last deal; 0: never behind,
    or the sides formed during play."""
    leads: Leads


def figures(game: str) -> list[Figure]:
    """The figures of a game, in the order in which pages show them; for a game that the site no
    longer has, only the time."""
    try:
        return [*registry.game(game).figures, TIME]
    except ValueError:
        return [TIME]


def count_figures(record: Record) -> MatchCounts:
    """The figures of a record; RecordError or ValueError if it cannot be replayed."""
    match = record.start()
    seats: list[dict[str, list[float]]] = [{} for _ in range(match.format.seats)]
    sampled_moves = sample_moves(len(record.moves))
    standings = []
    for number, move in enumerate(record.moves):
        if number in sampled_moves:
            standings.append(standing_now(match))
        seat = match.turn
        match.step(move)
        match.proceed()
        if seat is not None and number < len(record.clock_ms):
            _add(seats[seat], TIME, record.clock_ms[number], 1)
    sheets = [deal["sheet"] for deal in match.deals]
    if sheets:
        _add_game_figures(match, sheets, seats)
    summary = leads_of([*standings, match.scores])
    return MatchCounts(len(sheets), seats, _deficits(sheets, len(match.format.sides)), summary)


def _add_game_figures(
    match: Match, sheets: Sequence[Mapping[str, Any]], seats: list[dict[str, list[float]]]
) -> None:
    events = match.events(None)
    for figure in match.format.spec.figures:
        count = 1 if figure.unit == "match" else len(sheets)
        totals = (
            _event_totals(events, figure, len(seats))
            if figure.event
            else _line_totals(match, sheets, figure)
        )
        for seat, total in enumerate(totals):
            if total is not None:
                _add(seats[seat], figure, total, count)


def _line_totals(
    match: Match, sheets: Sequence[Mapping[str, Any]], figure: Figure
) -> list[float | None]:
    """By seat: its side's total of the figure's line; all None if no score sheet has that line."""
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


def _event_totals(events: Events, figure: Figure, seats: int) -> list[float | None]:
    totals = [0.0] * seats
    for event in events:
        if event["type"] == figure.event:
            totals[event["seat"]] += figure.worth(event)
    return [*totals]


def _add(figures: dict[str, list[float]], figure: Figure, total: float, count: int) -> None:
    pair = figures.setdefault(figure.name, [0.0, 0])
    pair[0] += total
    pair[1] += count


def _deficits(sheets: Sequence[Mapping[str, Any]], sides: int) -> list[int]:
    """By side: its largest deficit after a deal, without the last deal."""
    scores, behind = [0] * sides, [0] * sides
    for sheet in sheets[:-1]:
        if len(sheet["points"]) != sides:
            return [0] * sides
        scores = [old + new for old, new in zip(scores, sheet["points"], strict=True)]
        best = max(scores)
        behind = [max(old, best - own) for old, own in zip(behind, scores, strict=True)]
    return behind
