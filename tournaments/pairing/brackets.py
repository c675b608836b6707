"""Brackets: boxes in which entrants meet, and where each of them goes from there.

This is what knock-outs have in common. A system lays out all its boxes before the first round;
results then fill them. Everything here is a function of the boxes and the results.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tournaments.pairing.types import Meeting, Node, Pairing, Places, Setting, State, Step, System

MAX_ENTRANTS = 1024
"""A larger bracket would be slow to look at and to pair."""

EXTRA = Setting(
    "extra",
    "Extra deal groups",
    4,
    0,
    100,
    "How many more deal groups a pairing may get while its points are equal; "
    "then the score difference decides, then the better seed.",
)


class From(NamedTuple):
    """Whoever took a place in another box."""

    box: int
    """Its index."""

    place: int
    """0: the best of it."""


Source: TypeAlias = int | From | None
"""Who comes to a box: an entrant, somebody from another box, or nobody."""

Pair: TypeAlias = tuple[Source, Source]


@dataclass(frozen=True, slots=True)
class Box:
    """A place in the bracket at which entrants meet; one that meets nobody goes through."""

    name: str
    level: int
    """Boxes of one level are played at the same time, from 1 on."""

    sources: tuple[Source, ...]
    through: int = 1
    """How many go on; it must be decided who they are."""

    worth: int = 0
    """Whoever ends in a box that is worth more has the better place."""

    part: str = ""
    """The part of the bracket that it belongs to, where there are several."""

    again: bool = False
    """A repetition of the box before it, needed only when the second of that one wins it."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A box with what is known about it."""

    box: Box
    entrants: tuple[int | None, ...]
    """Who meets: None where that is not yet known, Nobody where nobody comes."""

    meeting: Meeting | None = None
    ranking: Pairing | None = None
    """Its entrants, best first; None until it is decided."""

    played: bool = True
    """Whether there is, or will be, a meeting."""


Layout: TypeAlias = Callable[[State], list[Box]]
"""All boxes of a bracket, before the first round. ValueError for a wrong number of entrants."""


def knock_out(
    name: str,
    title: str,
    summary: str,
    layout: Layout,
    settings: tuple[Setting, ...],
    *,
    wide: bool,
) -> System:
    """The system that plays the boxes of a layout."""
    return System(
        name=name,
        title=title,
        summary=summary,
        pair=lambda state: next_step(state, layout(state)),
        settings=(*settings, EXTRA),
        wide=wide,
        places=lambda state: places(state, layout(state)),
        bracket=lambda state: columns(state, layout(state)),
    )


def elimination(
    sources: Sequence[Pair], box: Callable[[int, int, Pair], Box]
) -> tuple[list[Box], list[list[From]]]:
    """A bracket in which winners meet until one is left: its boxes, who wins each of each round.

    `sources`: the pairs of the first round; `box` makes the box of a pair from its round and its
    number in it, both from 1.
    """
    boxes: list[Box] = []
    winners: list[list[From]] = []
    pairs = list(sources)
    while pairs:
        start = len(boxes)
        number = len(winners) + 1
        boxes += [box(number, place, each) for place, each in enumerate(pairs, 1)]
        ends = [From(index, 0) for index in range(start, len(boxes))]
        winners.append(ends)
        pairs = list(zip(ends[::2], ends[1::2], strict=False))
    return boxes, winners


def next_step(state: State, boxes: Sequence[Box]) -> Step:
    """What to play next: more of what is undecided, or the next level of boxes."""
    rounds = list(_rounds(fill(state, boxes)))
    made = len(state.rounds)
    if made:
        last = rounds[made - 1]
        if more := tuple(i for i, each in enumerate(last) if each.ranking is None):
            return Step(more=more)
    if made == len(rounds):
        return Step()
    return Step((tuple(_known(each) for each in rounds[made]),))


def places(state: State, boxes: Sequence[Box]) -> Places:
    """Who ended where, best first; all that can still become first share the first place."""
    filled = fill(state, boxes, live=True)
    onward = _onward(boxes)
    levels: dict[tuple[int, int], set[int]] = {}
    gone: set[int] = set()
    for index in reversed(range(len(filled))):
        each = filled[index]
        line = each.ranking if each.ranking is not None else each.entrants
        for place, entrant in enumerate(line):
            if entrant is None or entrant in gone:
                continue
            gone.add(entrant)
            at = From(index, 0 if each.ranking is None else place)
            levels.setdefault(_best(at, boxes, onward), set()).add(entrant)
    return [tuple(sorted(levels[key])) for key in sorted(levels, reverse=True)]


def columns(state: State, boxes: Sequence[Box]) -> list[list[Node]]:
    """The bracket for display: the boxes of each level, including those to come."""
    found: dict[int, list[Node]] = {}
    for each in fill(state, boxes, live=True):
        if each.box.again and not each.played:
            continue
        decided = each.ranking or ()
        node = Node(
            name=each.box.name,
            entrants=each.entrants,
            winner=decided[0] if decided else None,
            meeting=each.meeting,
            through=decided[: each.box.through],
            part=each.box.part,
            bye=not each.played,
        )
        found.setdefault(each.box.level, []).append(node)
    return [found[level] for level in sorted(found)]


def fill(state: State, boxes: Sequence[Box], *, live: bool = False) -> list[Filled]:
    """Every box with its entrants and its result.

    `live`: while matches are played; a meeting that is not over decides nothing then.
    """
    filled: list[Filled] = []
    there = _occupied(boxes)
    rounds = _numbers(boxes, there)
    made = dict.fromkeys(rounds, 0)
    for box in boxes:
        entrants = tuple(_who(filled, source) for source in box.sources if _comes(there, source))
        if len(entrants) < len(box.sources):
            alone = None if None in entrants else tuple(e for e in entrants if e is not None)
            filled.append(Filled(box, entrants, ranking=alone, played=False))
            continue
        if box.again and (before := filled[-1]).ranking and before.ranking[0] == before.entrants[0]:
            filled.append(Filled(box, entrants, ranking=before.ranking, played=False))
            continue
        meeting = _meeting(state, rounds[box.level], made[box.level], entrants)
        made[box.level] += 1
        over = meeting is not None and not (live and meeting.open)
        ranking = _ranked(state, meeting, box.through) if meeting and over else None
        filled.append(Filled(box, entrants, meeting, ranking))
    return filled


def seats(rows: Sequence[Sequence[int]], apart: frozenset[tuple[int, int]]) -> list[list[int]]:
    """Seat entrants at tables: one of each row at every table, in the order of the row.

    Where two at a table should not meet, entrants of a row change tables, moving as little as
    possible, so that as few as possible of such pairs meet.
    """
    if not apart:
        return [list(table) for table in zip(*rows, strict=True)]
    tables = [[entrant] for entrant in rows[0]]
    for row in rows[1:]:
        for table, entrant in zip(tables, _matched(tables, row, apart), strict=True):
            table.append(entrant)
    return tables


def _matched(
    tables: Sequence[Sequence[int]], row: Sequence[int], apart: frozenset[tuple[int, int]]
) -> list[int]:
    """The entrants of a row in the order of tables; augmenting paths (Kuhn 1955)."""

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

    # An entrant whose own place is fine stays there as long as nobody else needs it.
    holder = {index: index for index in range(len(row)) if fits(index, index)}
    seeking = [table for table in range(len(tables)) if table not in holder]
    forced = [table for table in seeking if not place(table, set())]
    free = [index for index in range(len(row)) if index not in holder]
    holder.update(zip(free, forced, strict=True))
    at = {table: index for index, table in holder.items()}
    return [row[at[table]] for table in range(len(tables))]


def _nearest(start: int, size: int) -> Iterator[int]:
    """0 … size - 1 in the order of their distance from `start`."""
    yield start
    for distance in range(1, size):
        if start >= distance:
            yield start - distance
        if start + distance < size:
            yield start + distance


def _rounds(filled: Sequence[Filled]) -> Iterator[list[Filled]]:
    """The boxes that are played, level by level."""
    for level in sorted({each.box.level for each in filled}):
        here = [each for each in filled if each.box.level == level and each.played]
        if here:
            yield here


def _occupied(boxes: Sequence[Box]) -> list[int]:
    """How many come to each box."""
    there: list[int] = []
    for box in boxes:
        there.append(sum(_comes(there, source) for source in box.sources))
    return there


def _comes(there: Sequence[int], source: Source) -> bool:
    """Whether anybody can come from there."""
    if isinstance(source, From):
        return source.place < there[source.box]
    return source is not None


def _numbers(boxes: Sequence[Box], there: Sequence[int]) -> dict[int, int]:
    """The index of the round in which each level is played."""
    levels = {box.level for box, come in zip(boxes, there, strict=True) if come == len(box.sources)}
    return {level: index for index, level in enumerate(sorted(levels))}


def _who(filled: Sequence[Filled], source: Source) -> int | None:
    if not isinstance(source, From):
        return source
    ranking = filled[source.box].ranking
    return None if ranking is None else ranking[source.place]


def _meeting(
    state: State, round_: int, index: int, entrants: tuple[int | None, ...]
) -> Meeting | None:
    """What has been paired there, if these are the ones who meet."""
    if round_ >= len(state.rounds) or index >= len(state.rounds[round_]):
        return None
    meeting = state.rounds[round_][index]
    return meeting if meeting.entrants == entrants else None


def _ranked(state: State, meeting: Meeting, through: int) -> Pairing | None:
    """The entrants of a meeting, best first; None while it has to go on."""
    if not meeting.groups:
        return None
    order = sorted(
        range(len(meeting.entrants)),
        key=lambda i: (-meeting.points[i], -meeting.differences[i], meeting.entrants[i]),
    )
    points = [meeting.points[i] for i in order]
    most = state.groups + state.settings.get("extra", EXTRA.default)
    if points[through - 1] == points[through] and meeting.groups < most:
        return None
    return tuple(meeting.entrants[i] for i in order)


def _onward(boxes: Sequence[Box]) -> dict[From, int]:
    """To which box each place of a box leads."""
    return {
        source: index
        for index, box in enumerate(boxes)
        for source in box.sources
        if isinstance(source, From)
    }


def _best(at: From, boxes: Sequence[Box], onward: dict[From, int]) -> tuple[int, int]:
    """The best place that can be reached from there, as worth and place: more is better."""
    while at in onward:
        at = From(onward[at], 0)
    return boxes[at.box].worth, -at.place


def _known(each: Filled) -> Pairing:
    return tuple(entrant for entrant in each.entrants if entrant is not None)
