"""The record of a finished table, and the comparison of a finished deal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from cardroom_base.core.names import display_name
from cardroom_tables.match_cache import CachedMatch, moves_of, parsed
from cardroom_tables.models import Comparison, Table, TableSeat
from cardroom_tables.reading import format_of, names_of, seats_of
from engine import Match, Record, player_view
from engine.english import sentence_for
from engine.frames import play_with_frames

_CARD: Final = re.compile("X[0-9]{0,2}|[A2-9TJQK][CDHS]")


def record_of(table: Table) -> Record:
    """Build the record of a finished table; people are marked as such."""
    rows = list(table.played.order_by("n").values_list("move", "ms", "note"))
    seats = seats_of(table)
    names = names_of(parsed(table.format), seats)
    return Record(
        format=table.format,
        seed=table.seed,
        rng=table.rng,
        players=[_player(seat, names[seat.index]) for seat in seats],
        moves=[move for move, _, _ in rows],
        clock_ms=[ms for _, ms, _ in rows],
        notes={str(n): note for n, (_, _, note) in enumerate(rows) if note},
        faults=table.faults,
        result=table.result,
        rules=table.rules,
    )


def _player(seat: TableSeat, name: str) -> dict[str, Any]:
    if seat.kind == TableSeat.Kind.PERSON:
        return {"name": name, "person": True}
    player: dict[str, Any] = {"name": name}
    if seat.version is not None:
        player["package"] = seat.version.package_id
    if seat.handle:
        player |= {"person": seat.handle, "since": seat.since}
    return player


# --- the same cards at the other tables -----------------------------------------------------------


def comparison_of(table: Table, number: int, seat: int | None) -> dict[str, Any]:
    """A finished deal (from 1) of a table, and its replays by house bots from the same seats.

    If the table began in the middle of the deal, everything counts from there: `since` is the first
    move (from 1), else None. `ready`: whether the comparison is complete. `luck`: by place in the
    scores, the points that the cards were worth relative to the mean of the others; empty if
    unknown. `own` and each of `others` have ``name``, ``moves``, ``sheet``, ``points`` (of the
    deal, by side) and ``scores`` (after it). Others also have ``parted``: None, or the first
    differing move as `_difference` describes it to `seat`. The one without a ``name`` is the
    record's continuation.
    """
    course = CachedMatch(table)
    course.grow(moves_of(table))
    deal = number - 1
    first, end = course.first_here(deal), course.deal_starts[deal + 1]
    sheet = course.match.deals_since(deal)[0]["sheet"]
    before = course.scores[deal - 1] if deal else [0] * len(course.scores[deal])
    seats = seats_of(table)
    moves = course.match.moves
    rows = table.comparisons.filter(deal=deal)
    return {
        "deal": number,
        "deals": table.deals,
        "since": first + 1 if first > course.deal_starts[deal] else None,
        "ready": table.compared >= number,
        "luck": table.luck[deal] if deal < len(table.luck) else [],
        "format": format_of(course.match.format),
        "names": names_of(course.match.format, seats),
        "sides": [list(side) for side in course.match.format.sides],
        "people": [
            table_seat.index for table_seat in seats if table_seat.kind == TableSeat.Kind.PERSON
        ],
        "seat": seat,
        "own": {
            "moves": end - first,
            "sheet": sheet,
            "points": _points(course.scores[deal], before),
            "scores": course.scores[deal],
        },
        "others": [_other(table, row, moves, before, seats, seat) for row in rows],
    }


def _other(
    table: Table,
    row: Comparison,
    moves: list[str],
    before: list[int],
    seats: list[TableSeat],
    you: int | None,
) -> dict[str, Any]:
    return {
        "name": row.bot,
        "title": display_name(row.bot) or _record_names(table, seats),
        "moves": len(row.moves),
        "sheet": row.sheet,
        "points": _points(row.scores, before),
        "scores": row.scores,
        "parted": _difference(table, row, moves, seats, you),
    }


def _record_names(table: Table, seats: Sequence[TableSeat]) -> str:
    """The record's players in the seats of the people."""
    source = table.source or {"names": []}
    people = {seat.index for seat in seats if seat.handle}
    names = [name for index, name in enumerate(source["names"]) if index in people]
    return f"{' and '.join(map(display_name, dict.fromkeys(names)))}, in the match"


def _difference(
    table: Table,
    row: Comparison,
    moves: list[str],
    seats: list[TableSeat],
    you: int | None,
) -> dict[str, Any] | None:
    """The first differing move: ``n``, ``seat``, a ``view`` of the position, ``yours`` and
    ``theirs``, each with ``move``, ``sentence`` and ``cards``; `you`: the reader's seat.

    Once the match is over, the view is that of the seat to move. Until then the seat `you` gets its
    own view of the position and the move. If another seat was to move, ``theirs`` is None, because
    it would show cards of its hand.
    """
    if row.parted is None:
        return None
    match = Match(parsed(table.format), seed=table.seed)
    for move in moves[: row.parted]:
        match.play(move)
    seat = match.turn
    if seat is None or row.parted >= len(moves):
        return None
    place_fields = {"n": row.parted, "seat": seat}
    if table.state != Table.State.FINISHED and seat != you:
        view = player_view.view_of(match, you)
        frame = play_with_frames(match, moves[row.parted], [you])[0][you]
        yours = {"move": frame["move"], "sentence": frame["sentence"], "cards": []}
        return place_fields | {"view": view, "yours": yours, "theirs": None}
    at = row.parted - row.first
    theirs = row.moves[at] if at < len(row.moves) else ""
    names = names_of(match.format, seats)
    other = [
        display_name(row.bot) if table_seat.index == seat else names[table_seat.index]
        for table_seat in seats
    ]
    if not row.bot:
        other[seat] = "The bot"
    return place_fields | {
        "view": match.view(seat),
        "yours": _describe_move(match, moves[row.parted], names, you),
        "theirs": _describe_move(match, theirs, other, None),
    }


def _describe_move(
    match: Match, move: str, names: Sequence[str], you: int | None
) -> dict[str, Any]:
    """``move``, ``sentence`` about it, and the ``cards`` that it put down or took."""
    description = {"move": move, "sentence": "", "cards": []}
    if not move:
        return description
    played = match.copy()
    before = played.logged
    played.step(move)
    fmt = match.format
    for event in played.logged_since(before):
        telling = fmt.spec.tell(fmt, event)
        if telling.sentence:
            sentence = sentence_for(telling, fmt.seats, you, names)
            return description | {"sentence": sentence, "cards": _cards(telling.marks)}
    return description


def _cards(marks: Sequence[str]) -> list[str]:
    """The cards in a sentence's marks, including those of builds."""
    return [card for mark in marks for card in _CARD.findall(mark)]


def _points(after: Sequence[int], before: Sequence[int]) -> list[int]:
    """The points of one deal, by side; if sides form in play, scores start from nothing."""
    if len(after) != len(before):
        return list(after)
    return [late - early for late, early in zip(after, before, strict=True)]
