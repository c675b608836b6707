"""A fast playout policy for Spoon Eye: it raises masts of its side, and none of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.games.spoon_eye import masts
from engine.games.spoon_eye.options import FULL
from engine.games.spoon_eye.spelling import ENDS, PASS, SPOTS, SpoonEyeMove, plays
from engine.games.spoon_eye.state import SpoonEyeState

_RAISED: Final = 10  # roughly the number of cards in a raised mast and the mast taken with it
# By rank: the value of a special card's effect (SPO-23): a draw, a second card, a crow's nest.
_EFFECTS: Final[tuple[int, ...]] = (0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0)
_SAFE: Final = 11  # below this value no single card raises a mast (SPO-7)


def prefer(deal: SpoonEyeState, moves: Sequence[SpoonEyeMove], rand: Callable[[], float]) -> int:
    """The index in `moves` of the best move; among equals, a random one."""
    count = len(moves)
    at = int(rand() * count)
    best, place = -1000, at
    for _ in range(count):
        value = _value(deal, moves[at])
        if value > best:
            best, place = value, at
        at = at + 1 if at + 1 < count else 0
    return place


def unlisted_move(deal: SpoonEyeState, rand: Callable[[], float]) -> SpoonEyeMove:
    """The best card to play, as by `prefer`, without a list of moves.

    Among equal moves, that with the least random number (`least`) wins.
    """
    seat = deal.turn
    side_of = deal.rules.side_of
    hand = deal.hands[seat]
    best, move = -1000, PASS
    least = 1.0
    for owner, row in enumerate(deal.masts):
        friend = side_of[owner] == side_of[seat]
        spot = owner * SPOTS
        for mast in row:
            value, crow = masts.measure(mast)
            for card in hand:
                worth = value + masts.adds(card, crow)
                if worth > FULL:
                    continue
                gain = _EFFECTS[card >> 2] + _gain(worth, len(mast), friend=friend)
                if gain >= best:
                    chance = rand()
                    if gain > best or chance < least:
                        best, move, least = gain, plays(card)[spot], chance
            spot += 1
    if masts.has_room(deal.masts[seat]):
        for card in hand:
            if _EFFECTS[card >> 2] > best:
                best, move = _EFFECTS[card >> 2], plays(card)[seat * SPOTS + ENDS[1]]
    return move


def _gain(worth: int, size: int, *, friend: bool) -> int:
    """The gain from a card that brings a mast of `size` cards to the value `worth`."""
    if worth == FULL:
        return _RAISED + size if friend else -_RAISED - size
    if worth >= _SAFE:  # the next player may raise it
        return -2 if friend else 1
    return 0


def _value(deal: SpoonEyeState, move: SpoonEyeMove) -> int:
    if move.kind in ("draw", "pass"):
        return 0
    seat, at = move.target
    if move.kind == "take":  # all cards of the mast are won (SPO-22)
        return 2 * len(deal.masts[seat][at]) if seat >= 0 else 0
    card = move.card
    if card < 0:
        card = deal.masts[move.source[0]][move.source[1]][-1]
    value = _EFFECTS[card >> 2] if move.kind == "play" else -1
    if at < 0:
        return value
    mast = deal.masts[seat][at]
    worth = masts.value_with(mast, card)
    friend = deal.rules.side_of[seat] == deal.rules.side_of[deal.turn]
    return value + _gain(worth, len(mast), friend=friend)
