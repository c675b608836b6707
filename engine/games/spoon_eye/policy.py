"""A fast playout policy for Spoon Eye: raise masts of the own side, and do not help opponents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.deals import random_index
from engine.games.spoon_eye import masts
from engine.games.spoon_eye.options import FULL
from engine.games.spoon_eye.spelling import ENDS, PASS, SPOTS, SpoonEyeMove, plays
from engine.games.spoon_eye.state import SpoonEyeState

# Gains and values are in won cards.
_RAISE_GAIN: Final = 10  # roughly the cards of a raised mast and of the mast taken with it
# By rank: the value of a special card's effect (SPO-23): a draw, a second play, a crow's nest.
_EFFECT_VALUES: Final[tuple[int, ...]] = (0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0)
_MIN_RISKY_VALUE: Final = 11  # below this value no single card raises a mast (SPO-7)


def prefer(deal: SpoonEyeState, moves: list[SpoonEyeMove], rand: Callable[[], float]) -> int:
    """The index in `moves` of the move with the highest value; a random one of equal moves."""
    count = len(moves)
    index = random_index(rand, count)
    best_value, best_index = -1000, index
    for _ in range(count):
        value = _value(deal, moves[index])
        if value > best_value:
            best_value, best_index = value, index
        index = index + 1 if index + 1 < count else 0
    return best_index


def unlisted_move(deal: SpoonEyeState, rand: Callable[[], float]) -> SpoonEyeMove:
    """The best play by the values of `prefer`, found without listing the plays; else `PASS`.

    Of equal plays on masts, the one with the smallest random number wins.
    """
    seat = deal.turn
    side_of = deal.rules.side_of
    hand = deal.hands[seat]
    best_gain, best_move = -1000, PASS
    least_number = 1.0
    for owner, row in enumerate(deal.masts):
        is_own_side = side_of[owner] == side_of[seat]
        spot = owner * SPOTS
        for mast in row:
            for card in hand:
                new_value = mast.value_with(card)
                if new_value > FULL:
                    continue
                gain = _gain(new_value, len(mast.cards), is_own_side=is_own_side)
                gain += _EFFECT_VALUES[card >> 2]
                if gain >= best_gain:
                    random_number = rand()
                    if gain > best_gain or random_number < least_number:
                        best_gain, best_move, least_number = gain, plays(card)[spot], random_number
            spot += 1
    if masts.has_room(deal.masts[seat]):
        for card in hand:
            gain = _EFFECT_VALUES[card >> 2]
            if gain > best_gain:
                best_gain, best_move = gain, plays(card)[seat * SPOTS + ENDS[1]]
    return best_move


def _gain(new_value: int, size: int, *, is_own_side: bool) -> int:
    """The gain from a card that brings a mast of `size` cards to the value `new_value`."""
    if new_value == FULL:
        return _RAISE_GAIN + size if is_own_side else -_RAISE_GAIN - size
    if new_value >= _MIN_RISKY_VALUE:  # the next player may raise it
        return -2 if is_own_side else 1
    return 0


def _value(deal: SpoonEyeState, move: SpoonEyeMove) -> int:
    if move.kind in ("draw", "pass"):
        return 0
    seat, index = move.target
    if move.kind == "take":  # all cards of the mast are won (SPO-22)
        return 2 * len(deal.masts[seat][index].cards) if seat >= 0 else 0
    card = move.card
    if card < 0:
        card = deal.masts[move.source[0]][move.source[1]].cards[-1]
    value = _EFFECT_VALUES[card >> 2] if move.kind == "play" else -1
    if index < 0:
        return value
    mast = deal.masts[seat][index]
    new_value = mast.value_with(card)
    is_own_side = deal.rules.side_of[seat] == deal.rules.side_of[deal.turn]
    return value + _gain(new_value, len(mast.cards), is_own_side=is_own_side)
