"""Double knock-out: who has lost twice is out.

Who loses in the winners' bracket goes on in the losers' bracket; the last of both meet in the grand
final. Losers of the second, fourth, … round come to the losers' bracket from the other end, so that
they do not meet again at once those whom they met above.
"""

from typing import TypeAlias

from tournaments.pairing import brackets
from tournaments.pairing.brackets import Box, From, Source
from tournaments.pairing.knockout import check, first_round
from tournaments.pairing.types import Node, Places, Setting, State, Step, System, setting

Pair: TypeAlias = tuple[Source, Source]

_SETTINGS = (
    Setting(
        "reset",
        "Second grand final",
        1,
        0,
        1,
        "1: where the last of the losers' bracket wins the grand final, both have lost once, and "
        "they meet again.",
    ),
    brackets.EXTRA,
)
WINNERS, LOSERS, LAST = "Winners", "Losers", "Final"


def pair(state: State) -> Step:
    """The next round of both brackets, or more deal groups for what is undecided."""
    return brackets.next_step(state, layout(state))


def places(state: State) -> Places:
    """By the round in which one lost for the second time; those of the same one share it."""
    return brackets.places(state, layout(state))


def bracket(state: State) -> list[list[Node]]:
    """Columns of what is played at the same time; each node says of which part it is."""
    return brackets.columns(state, layout(state))


def layout(state: State) -> list[Box]:
    """All boxes of both brackets. ValueError where the number of entrants does not do."""
    check(state)
    boxes: list[Box] = []
    lost = _winners(boxes, list(first_round(state)))
    best = From(len(boxes) - 1, 0)
    second = _losers(boxes, lost)
    level = 1 + max(box.level for box in boxes)
    boxes.append(Box("Grand final", level, (best, second), worth=level, part=LAST))
    if setting(_SETTINGS, state.settings, "reset"):
        final = len(boxes) - 1
        boxes.append(
            Box(
                "Grand final again",
                level + 1,
                (From(final, 0), From(final, 1)),
                worth=level + 1,
                part=LAST,
                again=True,
            )
        )
    return boxes


def _winners(boxes: list[Box], sources: list[Pair]) -> list[list[Source]]:
    """Add the winners' bracket; the losers of each of its rounds."""
    lost: list[list[Source]] = []
    level = 1
    while True:
        ends = _add(boxes, sources, WINNERS, level, level)
        lost.append([From(end.box, 1) for end in ends])
        if len(ends) == 1:
            return lost
        sources = list(zip(ends[::2], ends[1::2], strict=True))
        level += 1


def _losers(boxes: list[Box], lost: list[list[Source]]) -> Source:
    """Add the losers' bracket; who comes out of it.

    Its rounds come in twos: those who are in it meet, then they meet the losers of the next round
    of the winners' bracket.
    """
    there = lost[0]
    number = 1
    for turn, fresh in enumerate(lost[1:]):
        pairs: list[Pair] = list(zip(there[::2], there[1::2], strict=True))
        stay = _add(boxes, pairs, LOSERS, number, number + 1)
        come = fresh if turn % 2 else fresh[::-1]
        meet: list[Pair] = list(zip(stay, come, strict=True))
        there = list(_add(boxes, meet, LOSERS, number + 1, number + 2))
        number += 2
    return there[0]


def _add(boxes: list[Box], sources: list[Pair], part: str, number: int, level: int) -> list[From]:
    """Add the boxes of one round; who comes out of each first."""
    start = len(boxes)
    for index, each in enumerate(sources, 1):
        boxes.append(Box(f"{part} {number}.{index}", level, each, worth=level, part=part))
    return [From(start + index, 0) for index in range(len(sources))]


SYSTEM = System(
    name="double-knock-out",
    title="double knock-out",
    summary=(
        "Who has lost twice is out: losers go on in a bracket of their own, "
        "whose winner meets the winner of the first in the grand final."
    ),
    pair=pair,
    settings=_SETTINGS,
    places=places,
    bracket=bracket,
)
