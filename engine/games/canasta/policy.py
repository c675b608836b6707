"""A fast playout policy for Canasta: it takes the pile, melds, and keeps useful cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.deals import random_index
from engine.games.canasta.card_kinds import BLACK, KINDS, POINTS, is_wild
from engine.games.canasta.moves import (
    ASK,
    DISCARD,
    DRAW,
    MELD,
    PASS,
    TAKE,
    CanastaMove,
    discards,
    melds,
)
from engine.games.canasta.refusals import wild_card_refusal
from engine.games.canasta.state import CanastaState
from engine.games.canasta.turn_state import CANASTA, TurnState

_TAKE_VALUE: Final = 300  # the whole pile for at most two cards
_MELD_VALUE: Final = 200
_HELD: Final = 12  # for a discard: the value of each equal card in hand
_SPARE: Final = 6  # cards in hand with which the seat is not about to go out
_WILD: Final = 120  # a wild card is kept for a canasta


def best_move_index(
    deal: CanastaState, moves: list[CanastaMove], counts: list[int], rand: Callable[[], float]
) -> int:
    """The index in `moves` of the best move; among equals, a random one.

    `counts`: the hand by kind.
    """
    count = len(moves)
    risks = _risks(deal)
    index = random_index(rand, count)
    best, best_index = -10_000, index
    for _ in range(count):
        value = _value(deal, moves[index], counts, risks)
        if value > best:
            best, best_index = value, index
        index = index + 1 if index + 1 < count else 0
    return best_index


def unlisted_move(deal: CanastaState, turn: TurnState) -> CanastaMove | None:
    """Like `best_move_index`, for a seat with melds, no minimum to reach and cards to spare.

    None for other seats. By CAN-47 such a seat may meld or discard any card without a test.
    """
    if turn.committed or turn.pending or turn.need or turn.size < _SPARE or not turn.has_discard:
        return None
    best, choice = 0, None
    for move in melds(turn):
        if move.kind == BLACK or (move.wild and wild_card_refusal(move, turn) is not None):
            continue
        value = _meld_value(deal, move, turn.counts)
        if value > best:
            best, choice = value, move
    if choice is not None:
        return choice
    risks = _risks(deal)
    best = -10_000
    for move in discards(turn):
        value = _discard_value(move.kind, turn.counts, risks)
        if value > best:
            best, choice = value, move
    return choice


def _value(deal: CanastaState, move: CanastaMove, counts: list[int], risks: list[int]) -> int:
    action = move.action
    if action == DISCARD:
        return _discard_value(move.kind, counts, risks)
    if action == MELD:
        return _meld_value(deal, move, counts)
    if action == TAKE:
        return _TAKE_VALUE - (_WILD if move.wild else 0) + 10 * len(deal.pile)
    if action == DRAW:
        return _MELD_VALUE
    if action == ASK:
        return -300
    return -200 if action == PASS else 0


def _meld_value(deal: CanastaState, move: CanastaMove, counts: list[int]) -> int:
    """The value of a meld: any naturals; wild cards for a canasta or the minimum."""
    if not move.wild:
        return _MELD_VALUE + len(move.cards)
    size = 0
    for meld in deal.melds[deal.side_of(deal.turn)]:
        if meld.kind == move.kind:
            size = len(meld.cards)
    if size + len(move.cards) >= CANASTA > size:
        return _MELD_VALUE + 50
    return (
        _MELD_VALUE - _WILD if not deal.had_meld or counts[move.kind] else _MELD_VALUE - 3 * _WILD
    )


def _discard_value(kind: int, counts: list[int], risks: list[int]) -> int:
    """The value of a discard: high for a useless card, low for one that an opponent melds."""
    if is_wild(kind):
        return -2 * _WILD
    if kind == BLACK:
        return 10
    return -_HELD * counts[kind] - POINTS[kind] // 5 - risks[kind]


def _risks(deal: CanastaState) -> list[int]:
    """By kind: the loss if it is discarded although a side has melds of it."""
    risks = [0] * KINDS
    own_side = deal.side_of(deal.turn)
    for side, side_melds in enumerate(deal.melds):
        loss = 15 if side == own_side or deal.frozen else 40
        for meld in side_melds:
            risks[meld.kind] = risks[meld.kind] + loss  # when compiled, += is slower
    return risks
