"""Brackets of knock-outs: boxes in which entrants meet, and the paths between boxes. Pure.

A system lays out all boxes before the first round; results then fill them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tournaments.pairing.types import (
    BracketNode,
    Meeting,
    Pairing,
    PairingStep,
    Places,
    Setting,
    State,
    System,
)

MAX_ENTRANTS = 1024
"""A larger bracket would be slow to show and to pair."""

EXTRA = Setting(
    "extra",
    "Extra deal groups",
    4,
    0,
    100,
    "How many extra deal groups a pairing may get while its points are equal; "
    "after that, the score difference decides, then the better seed.",
)


class From(NamedTuple):
    """A source: the entrant that took a place in another box."""

    box: int
    """The index of the box."""

    place: int
    """The place, from 0 (the winner)."""


Source: TypeAlias = int | From | None
"""The origin of a box's entrant: an entrant, another box, or nobody."""

Pair: TypeAlias = tuple[Source, Source]


@dataclass(frozen=True, slots=True)
class Box:
    """A meeting in a bracket; an entrant without an opponent advances."""

    name: str
    level: int
    """From 1; boxes of one level are played at the same time."""

    sources: tuple[Source, ...]
    through: int = 1
    """Number of entrants that advance."""

    worth: int = 0
    """Entrants that end in a box of higher worth get better places."""

    part: str = ""
    """The part of the bracket, if there are several."""

    again: bool = False
    """Whether it repeats the box before it. It is played only if that box's second entrant won."""


@dataclass(frozen=True, slots=True)
class FilledBox:
    """A box with its entrants and result so far."""

    box: Box
    entrants: tuple[int | None, ...]
    """None: not known yet. Sources without an entrant are omitted."""

    meeting: Meeting | None = None
    ranking: Pairing | None = None
    """Its entrants, best first; None until decided."""

    played: bool = True
    """False if the box has too few entrants for a meeting, or needs none."""


Layout: TypeAlias = Callable[[State], list[Box]]
"""All boxes of a bracket, before the first round. ValueError for a wrong number of entrants."""


def bracket_system(
    name: str,
    title: str,
    summary: str,
    layout: Layout,
    settings: tuple[Setting, ...],
    *,
    wide_tables: bool,
) -> System:
    """The system that plays the boxes of a layout."""
    return System(
        name=name,
        title=title,
        summary=summary,
        pair=lambda state: next_step(state, layout(state)),
        settings=(*settings, EXTRA),
        wide_tables=wide_tables,
        by_results=True,
        places=lambda state: places(state, layout(state)),
        bracket=lambda state: columns(state, layout(state)),
    )


def elimination(
    sources: Sequence[Pair], create_box: Callable[[int, int, Pair], Box]
) -> tuple[list[Box], list[list[From]]]:
    """A single-elimination bracket: (its boxes, the winners of each round).

    `sources`: the pairs of the first round. `create_box` creates the box of a pair (its third
    argument) from its round and its number in the round, both from 1.
    """
    boxes: list[Box] = []
    winners: list[list[From]] = []
    pairs = list(sources)
    while pairs:
        start = len(boxes)
        number = len(winners) + 1
        boxes += [create_box(number, place, pair) for place, pair in enumerate(pairs, 1)]
        ends = [From(index, 0) for index in range(start, len(boxes))]
        winners.append(ends)
        pairs = list(zip(ends[::2], ends[1::2], strict=False))
    return boxes, winners


def next_step(state: State, boxes: Sequence[Box]) -> PairingStep:
    """More deal groups for undecided boxes, or the next level of boxes."""
    rounds = list(_rounds(fill_boxes(state, boxes)))
    paired = len(state.rounds)
    if paired:
        last = rounds[paired - 1]
        if more := tuple(i for i, filled in enumerate(last) if filled.ranking is None):
            return PairingStep(more=more)
    if paired == len(rounds):
        return PairingStep()
    return PairingStep((tuple(_known_entrants(filled) for filled in rounds[paired]),))


def places(state: State, boxes: Sequence[Box]) -> Places:
    """The entrants by place, best first; entrants that can still win share the first place."""
    filled = fill_boxes(state, boxes, live=True)
    onward = _next_boxes(boxes)
    levels: dict[tuple[int, int], set[int]] = {}
    placed: set[int] = set()
    for index in reversed(range(len(filled))):
        box = filled[index]
        entrants = box.ranking if box.ranking is not None else box.entrants
        for place, entrant in enumerate(entrants):
            if entrant is None or entrant in placed:
                continue
            placed.add(entrant)
            position = From(index, 0 if box.ranking is None else place)
            levels.setdefault(_best(position, boxes, onward), set()).add(entrant)
    return [tuple(sorted(levels[key])) for key in sorted(levels, reverse=True)]


def columns(state: State, boxes: Sequence[Box]) -> list[list[BracketNode]]:
    """The columns of the bracket for display: the boxes of each level.

    A box that repeats another (`Box.again`) is omitted until it is needed.
    """
    nodes: dict[int, list[BracketNode]] = {}
    for filled in fill_boxes(state, boxes, live=True):
        if filled.box.again and not filled.played:
            continue
        decided = filled.ranking or ()
        node = BracketNode(
            name=filled.box.name,
            entrants=filled.entrants,
            winner=decided[0] if decided else None,
            meeting=filled.meeting,
            through=decided[: filled.box.through],
            part=filled.box.part,
            bye=not filled.played,
        )
        nodes.setdefault(filled.box.level, []).append(node)
    return [nodes[level] for level in sorted(nodes)]


def fill_boxes(state: State, boxes: Sequence[Box], *, live: bool = False) -> list[FilledBox]:
    """Every box with its entrants and its result.

    `live`: whether some matches may be unfinished; an open meeting then decides nothing.
    """
    filled: list[FilledBox] = []
    entrant_counts = _entrant_counts(boxes)
    rounds = _round_indices(boxes, entrant_counts)
    meeting_counts = dict.fromkeys(rounds, 0)
    for box in boxes:
        entrants = tuple(
            _entrant_of(filled, source)
            for source in box.sources
            if _provides_entrant(entrant_counts, source)
        )
        if len(entrants) < len(box.sources):
            # The only entrant, if there is one, advances without a match.
            known = tuple(entrant for entrant in entrants if entrant is not None)
            ranking = known if len(known) == len(entrants) else None
            filled.append(FilledBox(box, entrants, ranking=ranking, played=False))
            continue
        if (
            box.again
            and (previous := filled[-1]).ranking
            and previous.ranking[0] == previous.entrants[0]
        ):
            filled.append(FilledBox(box, entrants, ranking=previous.ranking, played=False))
            continue
        meeting = _meeting(state, rounds[box.level], meeting_counts[box.level], entrants)
        meeting_counts[box.level] += 1
        is_decided = meeting is not None and not (live and meeting.open)
        ranking = _ranking_of(state, meeting, box.through) if meeting and is_decided else None
        filled.append(FilledBox(box, entrants, meeting, ranking))
    return filled


def seat_apart(rows: Sequence[Sequence[int]], apart: frozenset[tuple[int, int]]) -> list[list[int]]:
    """Seat entrants at tables: table i gets the i-th entrant of each row.

    To keep the pairs in `apart` from meeting, entrants of a row change tables: as few as possible,
    to tables as near as possible.
    """
    if not apart:
        return [list(table) for table in zip(*rows, strict=True)]
    tables = [[entrant] for entrant in rows[0]]
    for row in rows[1:]:
        for table, entrant in zip(tables, _match_row(tables, row, apart), strict=True):
            table.append(entrant)
    return tables


def _match_row(
    tables: Sequence[Sequence[int]], row: Sequence[int], apart: frozenset[tuple[int, int]]
) -> list[int]:
    """Assign the entrants of a row to the tables, by augmenting paths (Kuhn 1955); in the order of
    tables."""

    def fits(table: int, index: int) -> bool:
        pairs = ((min(row[index], other), max(row[index], other)) for other in tables[table])
        return not any(pair in apart for pair in pairs)

    def place(table: int, tried: set[int]) -> bool:
        for index in _nearest(table, len(row)):
            if index not in holder and fits(table, index):
                holder[index] = table
                return True
        for index in _nearest(table, len(row)):
            if index not in tried and fits(table, index):
                tried.add(index)
                if place(holder[index], tried):
                    holder[index] = table
                    return True
        return False

    # An entrant keeps its place unless another one needs it.
    holder = {index: index for index in range(len(row)) if fits(index, index)}
    open_tables = [table for table in range(len(tables)) if table not in holder]
    # These tables fit no entrant, so they get the remaining ones.
    unmatched = [table for table in open_tables if not place(table, set())]
    remaining = [index for index in range(len(row)) if index not in holder]
    holder.update(zip(remaining, unmatched, strict=True))
    index_of_table = {table: index for index, table in holder.items()}
    return [row[index_of_table[table]] for table in range(len(tables))]


def _nearest(start: int, size: int) -> Iterator[int]:
    """0 … size - 1 in the order of their distance from `start`."""
    yield start
    for distance in range(1, size):
        if start >= distance:
            yield start - distance
        if start + distance < size:
            yield start + distance


def _rounds(filled: Sequence[FilledBox]) -> Iterator[list[FilledBox]]:
    """The boxes with meetings, level by level."""
    for level in sorted({item.box.level for item in filled}):
        level_boxes = [item for item in filled if item.box.level == level and item.played]
        if level_boxes:
            yield level_boxes


def _entrant_counts(boxes: Sequence[Box]) -> list[int]:
    """The number of entrants of each box, even if they are not known yet."""
    counts: list[int] = []
    for box in boxes:
        counts.append(sum(_provides_entrant(counts, source) for source in box.sources))
    return counts


def _provides_entrant(entrant_counts: Sequence[int], source: Source) -> bool:
    if isinstance(source, From):
        return source.place < entrant_counts[source.box]
    return source is not None


def _round_indices(boxes: Sequence[Box], entrant_counts: Sequence[int]) -> dict[int, int]:
    """By level: the index of its round. A level without meetings has no round."""
    levels = {
        box.level
        for box, count in zip(boxes, entrant_counts, strict=True)
        if count == len(box.sources)
    }
    return {level: index for index, level in enumerate(sorted(levels))}


def _entrant_of(filled: Sequence[FilledBox], source: Source) -> int | None:
    if not isinstance(source, From):
        return source
    ranking = filled[source.box].ranking
    return None if ranking is None else ranking[source.place]


def _meeting(
    state: State, round_: int, index: int, entrants: tuple[int | None, ...]
) -> Meeting | None:
    """The meeting number `index` of a round, if these entrants meet in it."""
    if round_ >= len(state.rounds) or index >= len(state.rounds[round_]):
        return None
    meeting = state.rounds[round_][index]
    return meeting if meeting.entrants == entrants else None


def _ranking_of(state: State, meeting: Meeting, through: int) -> Pairing | None:
    """The entrants of a meeting, best first; None while it needs more deal groups."""
    if not meeting.groups:
        return None
    order = sorted(
        range(len(meeting.entrants)),
        key=lambda i: (-meeting.points[i], -meeting.differences[i], meeting.entrants[i]),
    )
    points = [meeting.points[i] for i in order]
    max_groups = state.groups + state.settings.get("extra", EXTRA.default)
    if points[through - 1] == points[through] and meeting.groups < max_groups:
        return None
    return tuple(meeting.entrants[i] for i in order)


def _next_boxes(boxes: Sequence[Box]) -> dict[From, int]:
    """The index of the box to which each place leads."""
    return {
        source: index
        for index, box in enumerate(boxes)
        for source in box.sources
        if isinstance(source, From)
    }


def _best(position: From, boxes: Sequence[Box], onward: dict[From, int]) -> tuple[int, int]:
    """The best result that an entrant at this place can reach: (worth, -place)."""
    while position in onward:
        position = From(onward[position], 0)
    return boxes[position.box].worth, -position.place


def _known_entrants(filled: FilledBox) -> Pairing:
    return tuple(entrant for entrant in filled.entrants if entrant is not None)
