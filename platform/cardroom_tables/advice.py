"""What a house bot advises, in sentences: from its move and the note that it wrote beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.english import capital, doing
from engine.move_options import OfferedMove

CLOSE: Final = 0.05
"""Points by which two moves differ that are worth the same in tenths."""
_NOTE: Final = re.compile(
    r"([+-]?\d+(?:\.\d+)?) points this deal, (\d+)% to win\."
    r"(?: Next (\S+): ([+-]?\d+(?:\.\d+)?)\.)?"
)
"""As the expert writes it (seeds/bots/expert)."""


class Advice(NamedTuple):
    """`sentence`: what the house would do; `why`: what it expects, and of what else it thought."""

    sentence: str
    why: str


def advice(move: str, note: str, offers: Sequence[OfferedMove]) -> Advice:
    """The advice to play `move`. A note in other words than the expert's is left out."""
    said = {offer.move: offer for offer in offers}
    found = _NOTE.fullmatch(note)
    why = []
    if found:
        points, win, other, behind = found.groups()
        if other and other in said:
            why.append(_beside(said[other], float(behind)))
        why.append(_expected(float(points), int(win)))
    return Advice(_would(move, said.get(move)), " ".join(why))


def _would(move: str, offer: OfferedMove | None) -> str:
    if offer is None:
        return f"The house would play {move}."
    if not offer.deed:
        return f"The house would play this: {offer.sentence}"
    return f"The house would {offer.deed}."


def _beside(other: OfferedMove, difference: float) -> str:
    """What the next best move is worth beside the one advised."""
    name = capital(doing(other.deed)) if other.deed else f"The next move ({other.move})"
    if abs(difference) < CLOSE:
        return f"{name} is worth as much."
    more = "more" if difference > 0 else "less"
    return f"{name} is worth {_points(difference)} {more}."


def _expected(points: float, win: int) -> str:
    """What the deal and the match will bring, as the house sees it."""
    where = "level"
    if abs(points) >= CLOSE:
        where = f"{_points(points)} {'ahead' if points > 0 else 'behind'}"
    return f"It expects you to be {where} in this deal, and to win {win} times of 100."


def _points(number: float) -> str:
    amount = f"{abs(number):.1f}"
    return f"{amount} point{'' if amount == '1.0' else 's'}"
