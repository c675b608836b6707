"""Knock-out: one loss eliminates an entrant.

With two sides it is the standard bracket of seeds, in which 1 and 2 can only meet in the final. If
the number of entrants is not a power of two, the best seeds sit out the first round.

With more sides, a round consists of heats, which are full tables. Some entrants advance from each
heat, until a final remains. Seeds are dealt to the heats in snake order. The places in the heats
give the seeds of the next round: entrants with a bye, then all winners, then all seconds, …
"""

from math import ceil
from typing import TypeVar

from tournaments.pairing import brackets
from tournaments.pairing.brackets import MAX_ENTRANTS, Box, From
from tournaments.pairing.types import Setting, State, setting

T = TypeVar("T")

_SETTINGS = (
    Setting(
        "third",
        "Match for third place",
        0,
        0,
        1,
        "1 means that the losers of the semifinals meet, too.",
    ),
    Setting(
        "through",
        "Advance from a heat",
        0,
        0,
        7,
        "At tables of three sides and more: the number of entrants that advance from a heat, "
        "rounded down to a divisor of the number of sides; 0: half of them, or one.",
    ),
)
_LAST = ("Final", "Semifinal", "Quarterfinal")


def layout(state: State) -> list[Box]:
    """All boxes of the bracket. ValueError for a wrong number of entrants."""
    check_entrant_count(state)
    return _two_sided_boxes(state) if state.sides == 2 else _heat_boxes(state)


def check_entrant_count(state: State) -> None:
    """ValueError for a wrong number of entrants."""
    if state.entrants < state.sides:
        raise ValueError(
            f"A knock-out at this table needs {state.sides} entrants or more; "
            f"there {'is' if state.entrants == 1 else 'are'} {state.entrants or 'none'}."
        )
    if state.entrants > MAX_ENTRANTS:
        raise ValueError(
            f"A knock-out takes at most {MAX_ENTRANTS} entrants; there are {state.entrants}."
        )


def first_round(state: State) -> list[tuple[int | None, int | None]]:
    """The first round of a bracket with two sides, in bracket order; None for a bye.

    Pairs in `apart` are avoided by swapping places among the lower half of the seeds.
    """
    size = 2 ** (state.entrants - 1).bit_length()
    byes = size - state.entrants
    upper = list(range(byes, size // 2))
    lower = list(range(state.entrants - 1, size // 2 - 1, -1))
    against = {table[0]: table[1] for table in brackets.seat_apart([upper, lower], state.apart)}
    lines = [0]
    while len(lines) < size // 2:
        last = 2 * len(lines) - 1
        lines = [line for i, x in enumerate(lines) for line in _swap_every_second((x, last - x), i)]
    return [_swap_every_second((line, against.get(line)), i) for i, line in enumerate(lines)]


def _swap_every_second(pair_: tuple[T, T], index: int) -> tuple[T, T]:
    """The pair, reversed if its index is odd. So the second seed comes last in the bracket."""
    return pair_[::-1] if index % 2 else pair_


def _two_sided_boxes(state: State) -> list[Box]:
    first = first_round(state)
    depth = len(first).bit_length()
    boxes, _ = brackets.elimination(
        first,
        lambda level, number, pair: Box(_name(level, depth, number), level, pair, worth=2 * level),
    )
    third = setting(_SETTINGS, state.settings, "third")
    if third and state.entrants > 3:
        losers = (From(len(boxes) - 3, 1), From(len(boxes) - 2, 1))
        boxes.append(Box("Third place", depth, losers, worth=2 * depth - 1))
    return boxes


def _name(level: int, depth: int, number: int) -> str:
    if level == depth:
        return "Final"
    if depth - level < len(_LAST):
        return f"{_LAST[depth - level]} {number}"
    return f"Round {level}.{number}"


def _heat_boxes(state: State) -> list[Box]:
    through = _advancing_count(state)
    eliminated = state.sides - through  # per heat
    boxes: list[Box] = []
    remaining: list[int | From] = list(range(state.entrants))
    level = 1
    while len(remaining) > state.sides:
        eliminated_count = len(remaining) - _full_size_below(len(remaining), state.sides, through)
        heats = min(ceil(eliminated_count / eliminated), len(remaining) // state.sides)
        byes = len(remaining) - heats * state.sides
        tables = _deal_to_heats(state, remaining[byes:], heats)
        # If the numbers do not divide evenly, some heats let more or fewer through.
        through_by_heat = [
            state.sides - len(range(i, eliminated_count, heats)) for i in range(heats)
        ]
        start = len(boxes)
        for number, (table, number_through) in enumerate(
            zip(tables, through_by_heat, strict=True), 1
        ):
            name = f"Heat {level}.{number}"
            boxes.append(Box(name, level, tuple(table), number_through, worth=2 * level))
        rows = _snake([From(start + i, 0) for i in range(heats)], state.sides)
        ends = (From(source.box, place) for place, row in enumerate(rows) for source in row)
        remaining = remaining[:byes] + [
            end for end in ends if end.place < through_by_heat[end.box - start]
        ]
        level += 1
    return [*boxes, Box("Final", level, tuple(remaining), worth=2 * level)]


def _advancing_count(state: State) -> int:
    chosen_count = setting(_SETTINGS, state.settings, "through")
    max_count = chosen_count or (state.sides // 2 if state.sides % 2 == 0 else 1)
    divisors = (
        number
        for number in range(1, state.sides)
        if state.sides % number == 0 and number <= max_count
    )
    return max(divisors)


def _full_size_below(entrants: int, sides: int, through: int) -> int:
    """The largest number below `entrants` for which all rounds have full heats."""
    size = sides
    while size * sides // through < entrants:
        size = size * sides // through
    return size


def _deal_to_heats(state: State, sources: list[int | From], heats: int) -> list[list[int | From]]:
    """Deal the sources to the heats in snake order; the first round avoids pairs in `apart`."""
    rows = [sources[i : i + heats] for i in range(0, len(sources), heats)]
    rows = [row[::-1] if i % 2 else row for i, row in enumerate(rows)]
    entrants = [[source for source in row if isinstance(source, int)] for row in rows]
    if all(len(row) == heats for row in entrants):
        return [list(table) for table in brackets.seat_apart(entrants, state.apart)]
    return [list(table) for table in zip(*rows, strict=True)]


def _snake(tables: list[From], rows: int) -> list[list[From]]:
    """The first `rows` places of these tables in snake order, best first."""
    snake = []
    for place in range(rows):
        row = [From(table.box, place) for table in tables]
        snake.append(row[::-1] if place % 2 else row)
    return snake


SYSTEM = brackets.bracket_system(
    name="knock-out",
    title="knock-out",
    summary=(
        "One loss eliminates an entrant; the best seeds meet last. A pairing continues until "
        "somebody leads. At tables of three sides and more the best of each heat advance."
    ),
    layout=layout,
    settings=_SETTINGS,
    wide_tables=True,
)
