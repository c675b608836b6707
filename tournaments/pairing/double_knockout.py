"""Double knock-out: two losses eliminate an entrant.

Losers of the winners' bracket move to the losers' bracket; the winners of both meet in the grand
final. Losers of the second, fourth, … round enter the losers' bracket in reverse order, which
delays rematches.
"""

from tournaments.pairing import brackets
from tournaments.pairing.brackets import Box, From, Pair, Source
from tournaments.pairing.knockout import check_entrant_count, first_round
from tournaments.pairing.types import Setting, State, setting

_SETTINGS = (
    Setting(
        "reset",
        "Second grand final",
        1,
        0,
        1,
        "1: if the winner of the losers' bracket wins the grand final, the two meet again, "
        "because both have lost once.",
    ),
)
WINNERS, LOSERS, LAST = "Winners", "Losers", "Final"


def layout(state: State) -> list[Box]:
    """All boxes of both brackets. ValueError for a wrong number of entrants."""
    check_entrant_count(state)
    boxes, winners = brackets.elimination(
        first_round(state), lambda level, number, pair: _box(WINNERS, level, number, pair, level)
    )
    best = winners[-1][0]
    second = _add_losers_bracket(boxes, [[From(box, 1) for box, _ in ends] for ends in winners])
    level = 1 + max(box.level for box in boxes)
    boxes.append(Box("Grand final", level, (best, second), worth=level, part=LAST))
    if setting(_SETTINGS, state.settings, "reset"):
        final = len(boxes) - 1
        finalists = From(final, 0), From(final, 1)
        level += 1
        boxes.append(Box("Grand final again", level, finalists, worth=level, part=LAST, again=True))
    return boxes


def _add_losers_bracket(boxes: list[Box], losers: list[list[From]]) -> Source:
    """Add the losers' bracket; return its winner. `losers`: by round of the winners' bracket.

    Its rounds alternate: survivors meet each other, then the losers of the next round of the
    winners' bracket.
    """
    survivors = losers[0]
    number = 1
    for index, new_losers in enumerate(losers[1:]):
        winners = _add_round(boxes, list(zip(survivors[::2], survivors[1::2], strict=True)), number)
        arrivals = new_losers if index % 2 else new_losers[::-1]
        survivors = _add_round(boxes, list(zip(winners, arrivals, strict=True)), number + 1)
        number += 2
    return survivors[0]


def _add_round(boxes: list[Box], pairs: list[tuple[From, From]], number: int) -> list[From]:
    """Add a round of the losers' bracket; return the winner of each box."""
    start = len(boxes)
    boxes += [_box(LOSERS, number, place, pair, number + 1) for place, pair in enumerate(pairs, 1)]
    return [From(index, 0) for index in range(start, len(boxes))]


def _box(part: str, round_: int, number: int, pair: Pair, level: int) -> Box:
    return Box(f"{part} {round_}.{number}", level, pair, worth=level, part=part)


SYSTEM = brackets.bracket_system(
    name="double-knock-out",
    title="double knock-out",
    summary=(
        "Two losses eliminate an entrant: losers continue in a bracket of their own, "
        "whose winner meets the winner of the first in the grand final."
    ),
    layout=layout,
    settings=_SETTINGS,
    wide_tables=False,
)
