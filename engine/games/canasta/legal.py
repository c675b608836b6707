"""Lists the legal moves of a situation (CAN-85).

Where possible, one test decides for several moves. The list must contain exactly the moves that
`refusals` allows; the tests compare the two.
"""

from __future__ import annotations

from typing import Final

from engine.games.canasta import moves
from engine.games.canasta.card_kinds import BLACK
from engine.games.canasta.moves import CanastaMove, CanastaSituation
from engine.games.canasta.refusals import (
    any_discard_refusal,
    any_question_refusal,
    refusal,
    turn_after_meld,
    wild_card_refusal,
)
from engine.games.canasta.turn_end import can_finish, can_go_out, can_stay
from engine.games.canasta.turn_state import TurnState

DRAWING: Final = [moves.MOVES_BY_TEXT["draw"]]  # the list if `draw` is the only legal move
_PASS: Final = moves.MOVES_BY_TEXT["pass"]
_TABLE: Final = moves.MOVES_BY_TEXT["R"]


def legal(situation: CanastaSituation) -> list[CanastaMove]:
    """The legal moves in list order (CAN-85)."""
    if situation.phase == moves.PHASE_ANSWER:
        return [moves.YES, moves.NO]
    if situation.phase == moves.PHASE_CHOOSE:
        return _choices(situation)
    turn = situation.turn
    out = can_go_out(turn)
    legal_moves = _melds(situation, out=out)
    if out and situation.partners and any_question_refusal(situation, out=out) is None:
        legal_moves = moves.questions(situation) + legal_moves
    if any_discard_refusal(turn) is None:
        legal_moves += moves.discards(turn)
    if situation.rules.red3discard and refusal(_TABLE, situation) is None:
        legal_moves.append(_TABLE)
    # If the turn has a discard, a seat may pass only if it has no other move (CAN-64).
    if not legal_moves if turn.has_discard else refusal(_PASS, situation) is None:
        legal_moves.append(_PASS)
    return legal_moves


def can_take_pile(situation: CanastaSituation) -> bool:
    """Whether some move takes the pile (CAN-62)."""
    return any(refusal(move, situation) is None for move in moves.takings(situation))


def _choices(situation: CanastaSituation) -> list[CanastaMove]:
    """The legal moves of part 1 of a turn: draw, take the pile, or pass (CAN-12, CAN-60)."""
    choices = DRAWING[:] if situation.stock else []
    choices += [move for move in moves.takings(situation) if refusal(move, situation) is None]
    if not situation.stock and refusal(_PASS, situation) is None:
        choices.append(_PASS)
    return choices


def _melds(situation: CanastaSituation, *, out: bool) -> list[CanastaMove]:
    """The legal melds: they fit, and the seat can finish its turn after them.

    `out`: whether the seat can go out now. If the turn can be finished after some meld, it can be
    finished now (CAN-92). So if it cannot be finished now, no meld needs a test: none is legal.
    """
    turn = situation.turn
    free_cards = _free_cards(turn)
    needs_tests = out or (free_cards < 0 and can_stay(turn))  # whether melds need a test
    melds: list[CanastaMove] = []
    if free_cards < 1 and not needs_tests:
        return melds
    for move in moves.melds(turn):
        # The moves of the list are too small for a meld only if they meld black threes, and have
        # too many wild cards only if they add one.
        if (move.wild or move.kind == BLACK) and wild_card_refusal(move, turn) is not None:
            continue
        is_free = len(move.cards) <= free_cards and move.kind != BLACK
        if is_free or (needs_tests and can_finish(turn_after_meld(turn, move))):
            melds.append(move)
    return melds


def _free_cards(turn: TurnState) -> int:
    """The number of cards, except black threes, that the seat may meld without a test (CAN-47).

    -1 if each meld needs a test: the minimum is not reached yet, cards are pending, or the seat
    must go out.
    """
    if turn.committed or turn.pending or turn.need:
        return -1
    return max(0, turn.size - (2 if turn.has_discard else 1))
