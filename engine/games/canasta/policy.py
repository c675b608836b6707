"""A fast playout policy for Canasta: take the pile, meld, and keep useful cards."""

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

# Values are roughly in points.
_TAKE_VALUE: Final = 300  # of taking the pile
_MELD_VALUE: Final = 200
_HELD: Final = 12  # what a discard loses for each card of its rank in the hand
_SPARE: Final = 6  # with this many cards in hand, a seat is not about to go out
_WILD: Final = 120  # of keeping a wild card for a canasta


def best_move_index(
    deal: CanastaState, moves: list[CanastaMove], counts: list[int], rand: Callable[[], float]
) -> int:
    """The index in `moves` of the move with the highest value; a random one of equal moves.

    `counts`: the number of cards of each kind in the hand.
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
    """The best move, without listing legal moves; None if their legality must be tested (CAN-87).

    A seat that has reached the minimum and has many cards may meld or discard any card (CAN-47).
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
    """The value of a meld: high for natural cards, low for wild cards.

    Wild cards are worth melding if they complete a canasta or belong to the first meld.
    """
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
    # when compiled, products of negative numbers are slow
    return -(_HELD * counts[kind] + POINTS[kind] // 5 + risks[kind])


def _risks(deal: CanastaState) -> list[int]:
    """By kind: the loss from discarding a card that fits on a side's melds."""
    risks = [0] * KINDS
    own_side = deal.side_of(deal.turn)
    for side, side_melds in enumerate(deal.melds):
        loss = 15 if side == own_side or deal.frozen else 40
        for meld in side_melds:
            risks[meld.kind] = risks[meld.kind] + loss  # when compiled, += is slower
    return risks
