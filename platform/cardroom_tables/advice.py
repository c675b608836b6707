"""Word a house bot's move and note as advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.english import capital, gerund_phrase
from engine.move_options import OfferedMove

EQUAL_POINTS: Final = 0.05
"""Moves count as equally good if their values differ by less than this, in points."""
_NOTE: Final = re.compile(
    r"([+-]?\d+(?:\.\d+)?) points this deal, (\d+)% to win\."
    r"(?: Next (\S+): ([+-]?\d+(?:\.\d+)?)\.)?"
)
"""The format of the expert's note (seeds/bots/expert)."""


class Advice(NamedTuple):
    """`sentence`: the advised move; `why`: the expected result, and the next best move."""

    sentence: str
    why: str


def advice(move: str, note: str, offers: Sequence[OfferedMove]) -> Advice:
    """The advice to play `move`; with reasons if the note has the expert's format."""
    offer_of = {offer.move: offer for offer in offers}
    values = _NOTE.fullmatch(note)
    why = []
    if values:
        points, win, other, difference = values.groups()
        if other and other in offer_of:
            why.append(_comparison_sentence(offer_of[other], float(difference)))
        why.append(_expectation_sentence(float(points), int(win)))
    return Advice(_advice_sentence(move, offer_of.get(move)), " ".join(why))


def _advice_sentence(move: str, offer: OfferedMove | None) -> str:
    if offer is None:
        return f"The house would play {move}."
    if not offer.deed:
        return f"The house would play this: {offer.sentence}"
    return f"The house would {offer.deed}."


def _comparison_sentence(other: OfferedMove, difference: float) -> str:
    """A sentence that compares the next best move with the advised one."""
    name = capital(gerund_phrase(other.deed)) if other.deed else f"The next move ({other.move})"
    if abs(difference) < EQUAL_POINTS:
        return f"{name} is worth as much."
    more = "more" if difference > 0 else "less"
    return f"{name} is worth {_points(difference)} {more}."


def _expectation_sentence(points: float, win: int) -> str:
    """A sentence on the expected result of the deal and the match."""
    standing = "level"
    if abs(points) >= EQUAL_POINTS:
        standing = f"{_points(points)} {'ahead' if points > 0 else 'behind'}"
    return f"It expects you to be {standing} in this deal, and to win {win} times out of 100."


def _points(number: float) -> str:
    amount = f"{abs(number):.1f}"
    return f"{amount} point{'' if amount == '1.0' else 's'}"
