"""A quick player of Spoon Eye for playouts: it raises masts of its side, and none of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.games.spoon_eye import masts
from engine.games.spoon_eye.options import FULL
from engine.games.spoon_eye.spelling import Move
from engine.games.spoon_eye.state import SpoonEyeState

_RAISED: Final = 10  # as many cards as a mast brings, and the mast that is taken on top
_EFFECT: Final = {2: 1, 3: 2, 8: 2}  # by rank: a card more, a turn more, a crow's nest (SPO-23)
_SAFE: Final = 11  # no card alone raises a mast that is worth less (SPO-7)


def prefer(deal: SpoonEyeState, found: Sequence[Move], rand: Callable[[], float]) -> int:
    """The place in `found` of the best move; of equal ones any."""
    count = len(found)
    at = int(rand() * count)
    best, place = -1000, at
    for _ in range(count):
        value = _value(deal, found[at])
        if value > best:
            best, place = value, at
        at = at + 1 if at + 1 < count else 0
    return place


def _value(deal: SpoonEyeState, move: Move) -> int:
    if move.kind in ("draw", "pass"):
        return 0
    seat, at = move.target
    if move.kind == "take":  # all cards of the mast are won (SPO-22)
        return 2 * len(deal.masts[seat][at]) if seat >= 0 else 0
    card = move.card
    if card < 0:
        card = deal.masts[move.source[0]][move.source[1]][-1]
    value = _EFFECT.get(card >> 2, 0) if move.kind == "play" else -1
    if at < 0:
        return value
    mast = deal.masts[seat][at]
    worth = masts.after(mast, card)
    friend = deal.rules.side_of[seat] == deal.rules.side_of[deal.turn]
    if worth == FULL:
        return value + (_RAISED + len(mast) if friend else -_RAISED - len(mast))
    if worth >= _SAFE:  # the next one may raise it
        value += -2 if friend else 1
    return value
