"""Double knock-out: whoever has lost twice is out.

Losers of the winners' bracket go on in the losers' bracket; the last of both meet in the grand
final. Losers of the second, fourth, … round enter the losers' bracket from the other end, so that
they do not at once meet their old opponents again.
"""

from tournaments.pairing import brackets
from tournaments.pairing.brackets import Box, From, Pair, Source
from tournaments.pairing.knockout import check, first_round
from tournaments.pairing.types import Setting, State, setting

_SETTINGS = (
    Setting(
        "reset",
        "Second grand final",
        1,
        0,
        1,
        "1: if the winner of the losers' bracket wins the grand final, both have lost once, and "
        "they meet again.",
    ),
)
WINNERS, LOSERS, LAST = "Winners", "Losers", "Final"


def layout(state: State) -> list[Box]:
    """All boxes of both brackets. ValueError for a wrong number of entrants."""
    check(state)
    boxes, winners = brackets.elimination(
        first_round(state), lambda level, number, pair: _box(WINNERS, level, number, pair, level)
    )
    best = winners[-1][0]
    second = _losers(boxes, [[From(box, 1) for box, _ in ends] for ends in winners])
    level = 1 + max(box.level for box in boxes)
    boxes.append(Box("Grand final", level, (best, second), worth=level, part=LAST))
    if setting(_SETTINGS, state.settings, "reset"):
        final = len(boxes) - 1
        again = From(final, 0), From(final, 1)
        level += 1
        boxes.append(Box("Grand final again", level, again, worth=level, part=LAST, again=True))
    return boxes


def _losers(boxes: list[Box], lost: list[list[From]]) -> Source:
    """Add the losers' bracket; gives who comes out of it. `lost`: by round, those who lost above.

    Its rounds come in twos: those who are in it meet, then they meet the losers of the next round
    of the winners' bracket.
    """
    there = lost[0]
    number = 1
    for turn, fresh in enumerate(lost[1:]):
        stay = _add(boxes, list(zip(there[::2], there[1::2], strict=True)), number)
        come = fresh if turn % 2 else fresh[::-1]
        there = _add(boxes, list(zip(stay, come, strict=True)), number + 1)
        number += 2
    return there[0]


def _add(boxes: list[Box], pairs: list[tuple[From, From]], number: int) -> list[From]:
    """Add a round of the losers' bracket; gives the winner of each of its boxes."""
    start = len(boxes)
    boxes += [_box(LOSERS, number, place, pair, number + 1) for place, pair in enumerate(pairs, 1)]
    return [From(index, 0) for index in range(start, len(boxes))]


def _box(part: str, round_: int, number: int, pair: Pair, level: int) -> Box:
    return Box(f"{part} {round_}.{number}", level, pair, worth=level, part=part)


SYSTEM = brackets.knock_out(
    name="double-knock-out",
    title="double knock-out",
    summary=(
        "Whoever has lost twice is out: losers go on in a bracket of their own, "
        "whose winner meets the winner of the first in the grand final."
    ),
    layout=layout,
    settings=_SETTINGS,
    wide=False,
)
