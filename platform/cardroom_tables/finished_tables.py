"""The record of a finished table, and the comparison of a finished deal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from cardroom_base.core.names import display_name
from cardroom_tables.match_cache import CachedMatch, moves_of
from cardroom_tables.models import Comparison, Table, TableSeat
from cardroom_tables.reading import format_of, names_of, seats_of
from engine import Format, Match, Record, player_view
from engine.english import sentence_for
from engine.frames import play_with_frames

_CARD: Final = re.compile("X[0-9]{0,2}|[A2-9TJQK][CDHS]")


def record_of(table: Table) -> Record:
    """Build the record of a finished table; people are marked as such."""
    rows = list(table.played.order_by("n").values_list("move", "ms", "note"))
    seats = seats_of(table)
    names = names_of(Format.parse(table.format), seats)
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

    ``since``: the first move at the table (from 1) if the table began in the middle of the deal;
    all values then count from this move. None if it did not. ``ready``: whether the comparison is
    complete. ``luck``: for each score, the points that the cards were worth relative to the mean of
    the others; empty if unknown. ``own`` is the deal as played at the table: the number of
    ``moves``, ``sheet``, ``points`` (of the deal) and ``scores`` (after it). ``others`` are the
    replays, which also have ``name`` (the bot; empty for the record's continuation), ``title`` and
    ``parted``: None, or the first differing move as `_difference` describes it to `seat`.
    """
    cached = CachedMatch(table)
    cached.append(moves_of(table))
    deal = number - 1
    first, end = cached.first_table_move(deal), cached.deal_starts[deal + 1]
    sheet = cached.match.deals_since(deal)[0]["sheet"]
    scores_before = cached.scores[deal - 1] if deal else [0] * len(cached.scores[deal])
    seats = seats_of(table)
    moves = cached.match.moves
    rows = table.comparisons.filter(deal=deal)
    return {
        "deal": number,
        "deals": table.deals,
        "since": first + 1 if first > cached.deal_starts[deal] else None,
        "ready": table.compared >= number,
        "luck": table.luck[deal] if deal < len(table.luck) else [],
        "format": format_of(cached.match.format),
        "names": names_of(cached.match.format, seats),
        "sides": [list(side) for side in cached.match.format.sides],
        "people": [
            table_seat.index for table_seat in seats if table_seat.kind == TableSeat.Kind.PERSON
        ],
        "seat": seat,
        "own": {
            "moves": end - first,
            "sheet": sheet,
            "points": _points(cached.scores[deal], scores_before),
            "scores": cached.scores[deal],
        },
        "others": [_replay_data(table, row, moves, scores_before, seats, seat) for row in rows],
    }


def _replay_data(
    table: Table,
    row: Comparison,
    moves: list[str],
    scores_before: list[int],
    seats: list[TableSeat],
    reader: int | None,
) -> dict[str, Any]:
    return {
        "name": row.bot,
        "title": display_name(row.bot) or _record_names(table, seats),
        "moves": len(row.moves),
        "sheet": row.sheet,
        "points": _points(row.scores, scores_before),
        "scores": row.scores,
        "parted": _difference(table, row, moves, seats, reader),
    }


def _record_names(table: Table, seats: Sequence[TableSeat]) -> str:
    """The names of the record's players in the seats of the people."""
    source = table.source or {"names": []}
    people = {seat.index for seat in seats if seat.handle}
    names = [name for index, name in enumerate(source["names"]) if index in people]
    return f"{' and '.join(map(display_name, dict.fromkeys(names)))}, in the match"


def _difference(
    table: Table,
    row: Comparison,
    moves: list[str],
    seats: list[TableSeat],
    reader: int | None,
) -> dict[str, Any] | None:
    """The first differing move: ``n``, ``seat``, a ``view`` of the position, and the moves
    ``yours`` and ``theirs``, each with ``move``, ``sentence`` and ``cards``.

    `reader`: the reader's seat. If another seat was to move and the match is not over yet, the view
    and the sentence are those of the reader's seat, and ``theirs`` is None, because it would show
    cards of the other hand. Otherwise the view is that of the seat to move.
    """
    if row.parted is None:
        return None
    match = Match(Format.parse(table.format), seed=table.seed)
    for move in moves[: row.parted]:
        match.play(move)
    seat = match.turn
    if seat is None or row.parted >= len(moves):
        return None
    place_fields = {"n": row.parted, "seat": seat}
    if table.state != Table.State.FINISHED and seat != reader:
        view = player_view.view_of(match, reader)
        frame = play_with_frames(match, moves[row.parted], [reader])[0][reader]
        yours = {"move": frame["move"], "sentence": frame["sentence"], "cards": []}
        return place_fields | {"view": view, "yours": yours, "theirs": None}
    index = row.parted - row.first
    theirs = row.moves[index] if index < len(row.moves) else ""
    names = names_of(match.format, seats)
    replay_names = [
        display_name(row.bot) if table_seat.index == seat else names[table_seat.index]
        for table_seat in seats
    ]
    if not row.bot:
        replay_names[seat] = "The bot"
    return place_fields | {
        "view": match.view(seat),
        "yours": _describe_move(match, moves[row.parted], names, reader),
        "theirs": _describe_move(match, theirs, replay_names, None),
    }


def _describe_move(
    match: Match, move: str, names: Sequence[str], reader: int | None
) -> dict[str, Any]:
    """``move``, a ``sentence`` about it, and the ``cards`` that it put down or took."""
    description = {"move": move, "sentence": "", "cards": []}
    if not move:
        return description
    position = match.copy()
    events_before = position.logged
    position.step(move)
    fmt = match.format
    for event in position.logged_since(events_before):
        telling = fmt.spec.tell(fmt, event)
        if telling.sentence:
            sentence = sentence_for(telling, fmt.seats, reader, names)
            return description | {"sentence": sentence, "cards": _cards(telling.marks)}
    return description


def _cards(marks: Sequence[str]) -> list[str]:
    """The cards in a sentence's marks, including those of builds."""
    return [card for mark in marks for card in _CARD.findall(mark)]


def _points(scores: Sequence[int], scores_before: Sequence[int]) -> list[int]:
    """The points of one deal, by side; if sides form in play, scores start at zero."""
    if len(scores) != len(scores_before):
        return list(scores)
    return [score - score_before for score, score_before in zip(scores, scores_before, strict=True)]
