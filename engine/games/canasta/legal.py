"""Lists the legal moves of a situation (CAN-85), with one test for several moves if possible.

The list must equal the moves that `refusals` allows; tests compare the two.
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

DRAWING: Final = [moves.MOVES_BY_TEXT["draw"]]  # the only move
_PASS: Final = moves.MOVES_BY_TEXT["pass"]
_TABLE: Final = moves.MOVES_BY_TEXT["R"]


def legal(situation: CanastaSituation) -> list[CanastaMove]:
    """CAN-85: the legal moves in order."""
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
    # CAN-64: if the turn has a discard, passing is legal only without any other move.
    if not legal_moves if turn.has_discard else refusal(_PASS, situation) is None:
        legal_moves.append(_PASS)
    return legal_moves


def can_take_pile(situation: CanastaSituation) -> bool:
    """Whether the pile can be taken at all (CAN-62)."""
    return any(refusal(move, situation) is None for move in moves.takings(situation))


def _choices(situation: CanastaSituation) -> list[CanastaMove]:
    """Part 1 of the turn: draw, take, pass (CAN-12, CAN-60)."""
    choices = DRAWING[:] if situation.stock else []
    choices += [move for move in moves.takings(situation) if refusal(move, situation) is None]
    if not situation.stock and refusal(_PASS, situation) is None:
        choices.append(_PASS)
    return choices


def _melds(situation: CanastaSituation, *, out: bool) -> list[CanastaMove]:
    """The melds that fit and after which the turn can be finished; `out`: only by going out.

    By CAN-92, the turn can be finished now if it can be finished after some step. So if it cannot
    be finished at all (or not by going out, where that is required), no step needs a test.
    """
    turn = situation.turn
    free_cards = _free_cards(turn)
    needs_tests = out or (free_cards < 0 and can_stay(turn))  # whether steps need a test
    melds: list[CanastaMove] = []
    if free_cards < 1 and not needs_tests:
        return melds
    for move in moves.melds(turn):
        # Only black threes can be too few for a meld, and only wild cards too many.
        if (move.wild or move.kind == BLACK) and wild_card_refusal(move, turn) is not None:
            continue
        is_free = len(move.cards) <= free_cards and move.kind != BLACK
        if is_free or (needs_tests and can_finish(turn_after_meld(turn, move))):
            melds.append(move)
    return melds


def _free_cards(turn: TurnState) -> int:
    """How many cards, except black threes, can be melded without a test (CAN-47); -1: test each.

    Tests are needed if the minimum is not reached, cards are pending, or the seat must go out.
    """
    if turn.committed or turn.pending or turn.need:
        return -1
    return max(0, turn.size - (2 if turn.has_discard else 1))
