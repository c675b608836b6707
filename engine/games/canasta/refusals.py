"""The clause that forbids a move (CAN-12 to CAN-64, CAN-86, CAN-91)."""

from __future__ import annotations

from engine.errors import IllegalMove
from engine.games.canasta.card_kinds import BLACK, JOKER, RED, TWO, is_takeable, is_wild
from engine.games.canasta.moves import (
    ANSWER,
    ASK,
    CHOOSE,
    DISCARD,
    DRAW,
    MELD,
    PASS,
    REPLY,
    TABLE,
    TAKE,
    WORDS,
    CanastaMove,
    CanastaSituation,
    discards,
    laying_off,
    melds,
    parse,
    questions,
)
from engine.games.canasta.turn_end import (
    can_finish,
    can_go_out,
    can_stay,
    growth_result,
    meld_key,
)
from engine.games.canasta.turn_state import CANASTA, TurnState

Refusal = tuple[str, str] | None  # clause and reason


def read(text: str, situation: CanastaSituation) -> CanastaMove:
    """The move with this text; IllegalMove, which names the clause, if it is not legal now."""
    move = parse(text, situation)
    reason = refusal(move, situation)
    if reason is not None:
        raise IllegalMove(text, reason[0], reason[1])
    return move


def refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """The clause that forbids the move, and the reason; None if it is legal."""
    phase = situation.phase
    action = move.action
    if phase == ANSWER or action == REPLY:
        if phase == ANSWER and action == REPLY:
            return None
        return ("CAN-86", "yes and no answer a question, and nothing else does")
    if phase == CHOOSE:
        return _draw_or_take_refusal(move, situation)
    if action in (DRAW, TAKE):
        return ("CAN-12", "the seat has already drawn or taken the pile")
    if action == MELD:
        return _meld_refusal(move, situation)
    if action == DISCARD:
        return _discard_refusal(move, situation)
    if action == ASK:
        return _ask_refusal(move, situation)
    return _table_refusal(situation) if action == TABLE else _pass_refusal(situation)


def _draw_or_take_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """Part 1 of the turn: draw, take or pass (CAN-12, CAN-60, CAN-61)."""
    if move.action == DRAW:
        return None if situation.stock else ("CAN-60", "the stock is empty")
    if move.action == TAKE:
        return _take_refusal(move, situation)
    if move.action != PASS:
        return ("CAN-12", "first the seat draws or takes the pile")
    if situation.stock:
        return ("CAN-60", "while the stock lasts, a seat that does not take the pile must draw")
    for number in range(1, len(_shape(situation)) + 1):
        if _take_refusal(laying_off(situation.top, number), situation) is None:
            return ("CAN-61", "the top card can be laid off, so the pile must be taken")
    return None


def _shape(situation: CanastaSituation) -> tuple[tuple[int, int], ...]:
    """The side's melds of the top card's rank."""
    top = situation.top
    return situation.turn.shapes[top] if top == BLACK or (top >= 0 and is_takeable(top)) else ()


def _take_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-17, CAN-25 to CAN-32: why the pile cannot be taken with this move."""
    rules, turn, top = situation.rules, situation.turn, situation.top
    if top < 0:
        return ("CAN-17", "there is no pile")
    if not is_takeable(top):
        return ("CAN-31", "a pile topped by a three or a wild card cannot be taken")
    if not rules.onecard and len(situation.pile) == 1 and turn.size == 1:
        return ("CAN-30", "with one card in hand, a pile of one card may not be taken")
    shape = turn.shapes[top]
    reason = (
        _laying_off_refusal(move, situation)
        if not move.cards
        else _matching_refusal(move, situation)
    )
    if reason is not None:
        return reason
    if move.cards and move.number <= len(shape):
        naturals_before, wilds_before = shape[move.number - 1]
        wild = int(move.cards[1] != top)
        if growth_result(meld_key(rules, top), naturals_before, wilds_before, 3 - wild, wild) < 0:
            return ("CAN-32", "the joined meld would have too many wild cards")
        if _take_refusal(laying_off(top, move.number), situation) is None:
            return ("CAN-29", "the top card can be laid off: take, then add the cards")
    kinds_below_top = situation.kinds_below_top
    if turn.had_meld and turn.size - len(move.cards) + len(kinds_below_top) > 1:  # CAN-47
        return None
    turn_after = turn.copy()
    turn_after.pending = kinds_below_top
    turn_after.lay(top, move.number, move.cards, top)
    turn_after.collect_pending()
    return None if can_finish(turn_after) else unfinished(turn_after)


def _laying_off_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-29: laying the top card off."""
    shape = _shape(situation)
    if not 1 <= move.number <= len(shape):
        return ("CAN-29", "the side has no such meld of the top card's rank")
    if situation.frozen:
        return ("CAN-27", "the pile is frozen: only a natural pair from the hand takes it")
    if not situation.rules.lay and sum(shape[move.number - 1]) >= CANASTA:
        return ("CAN-29", "with lay=false the pile is not laid off on a canasta")
    return None


def _matching_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-27, CAN-28: melding the top card with two cards from the hand."""
    rules, counts, top = situation.rules, situation.turn.counts, situation.top
    first, second = move.cards
    if first != top or second not in (top, TWO, JOKER):
        return ("CAN-28", "the pile is taken with cards of its top card's rank")
    if second != top and (situation.frozen or rules.pair):
        return ("CAN-27", "only a natural pair from the hand takes the pile")
    if counts[top] < (2 if second == top else 1) or not counts[second]:
        return ("CAN-28", "the hand does not hold these cards")
    melds = len(_shape(situation))
    last = melds + 1 if rules.tworank or not melds else melds
    if not 1 <= move.number <= last:
        return ("CAN-41", "no meld of the side has this number, and a new one gets another")
    return None


def _meld_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-36 to CAN-43, CAN-91: why these cards cannot be melded now."""
    reason = misfit(move, situation)
    if reason is not None:
        return reason
    turn_after = turn_after_meld(situation.turn, move)
    return None if can_finish(turn_after) else unfinished(turn_after)


def misfit(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-36 to CAN-43 without consequences: whether hand and melds allow the move.

    Moves from `moves.melds` can only fail in `overgrown`.
    """
    rules, turn, kind = situation.rules, situation.turn, move.kind
    shape = turn.shapes[kind]
    opening = len(move.cards) == 3
    if opening and (move.cards[0] != kind or move.cards[1] != kind):
        return ("CAN-37", "a meld opens with at least two natural cards of its rank")
    last_card = move.cards[-1]
    wild = last_card != kind
    if wild and not is_wild(last_card):
        return ("CAN-36", "a meld takes cards of its rank and wild cards")
    naturals = len(move.cards) - wild
    if turn.counts[kind] < naturals or (wild and not turn.counts[last_card]):
        return ("CAN-82", "the hand does not hold these cards")
    if kind == BLACK and turn.pending:
        return ("CAN-40", "black threes cannot be melded while pile cards are pending")
    if opening and ((shape and not rules.tworank) or move.number != len(shape) + 1):
        return ("CAN-41", "a new meld has the next number, and there is one meld of a rank")
    if not opening and not 1 <= move.number <= len(shape):
        return ("CAN-36", "the side has no such meld")
    return overgrown(move, turn)


def overgrown(move: CanastaMove, turn: TurnState) -> Refusal:
    """CAN-38, CAN-40: whether the meld would have too many wild cards."""
    kind, shape = move.kind, turn.shapes[move.kind]
    naturals_before, wilds_before = shape[move.number - 1] if move.number <= len(shape) else (0, 0)
    wild = int(move.cards[-1] != kind)
    if (
        growth_result(
            meld_key(turn.rules, kind), naturals_before, wilds_before, len(move.cards) - wild, wild
        )
        >= 0
    ):
        return None
    if kind == BLACK:
        return ("CAN-40", "black threes are melded without wild cards")
    return ("CAN-38", "a meld has at most three wild cards")


def turn_after_meld(turn: TurnState, move: CanastaMove) -> TurnState:
    """The turn after this meld."""
    turn_after = turn.copy()
    turn_after.lay(move.kind, move.number, move.cards)
    return turn_after


def binding_clause(turn: TurnState) -> str:
    """The clause that obliges a seat to go out: its melded black threes, else the answer."""
    return "CAN-40" if turn.shapes[BLACK] else "CAN-57"


def unfinished(turn_after: TurnState) -> tuple[str, str]:
    """Why the turn could not be finished: clause and reason."""
    if turn_after.committed:
        return (
            binding_clause(turn_after),
            "the seat must go out in this turn, and this move would prevent it",
        )
    if turn_after.need:
        return ("CAN-33", "the minimum of the first meld could no longer be reached")
    return ("CAN-46", "the hand would be too small, and the seat could not go out")


def _discard_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-91: why this card cannot be discarded now."""
    if not situation.turn.counts[move.kind]:
        return ("CAN-13", "the hand holds no such card")
    if move.kind == RED and not situation.rules.red3discard:
        return ("CAN-13", "a red three is never discarded")
    return parting_refusal(situation.turn)


def parting_refusal(turn: TurnState) -> Refusal:
    """Why nothing can be discarded, or None."""
    if turn.pending:
        return ("CAN-35", "pile cards are pending: first the minimum must be reached")
    if not turn.discard:
        return ("CAN-63", "this turn has no discard")
    if turn.size == 1 and turn.exempt:  # CAN-55
        return _last_card_refusal(turn)
    return _first_meld_refusal(turn) or _last_card_refusal(turn)


def _first_meld_refusal(turn: TurnState) -> Refusal:
    """The first-meld duty of CAN-91."""
    if not turn.melded or not turn.need:
        return None
    return ("CAN-35", "the first meld is not worth the minimum yet")


def _last_card_refusal(turn: TurnState) -> Refusal:
    """CAN-45, CAN-50: refusals because of the cards that a discard leaves."""
    if turn.size > 1:
        return (
            (binding_clause(turn), "the seat must go out in this turn") if turn.committed else None
        )
    if turn.refused:
        return ("CAN-57", "the partner said no")
    if turn.canastas < turn.rules.canastas:
        return ("CAN-45", "the last card may go only when the side may go out")
    if turn.had_meld or turn.exempt or (turn.melded and not turn.need):
        return None
    return ("CAN-33", "the first meld is not worth the minimum yet")


def _ask_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal:
    """CAN-56 to CAN-58: why the seat cannot ask this partner now."""
    if move.seat not in situation.partners:
        return ("CAN-58", "only a partner who plays can be asked")
    return asking_refusal(situation, out=can_go_out(situation.turn))


def asking_refusal(situation: CanastaSituation, *, out: bool) -> Refusal:
    """CAN-56, CAN-57: why no question can be asked; `out`: whether the seat can go out."""
    turn = situation.turn
    if not situation.ask or turn.pending:
        return ("CAN-56", "a seat asks once, before its first meld of the turn")
    if not out:
        return ("CAN-57", "the seat could not go out")
    if not can_stay(turn) and (turn.melded or turn.size < 2):
        return ("CAN-57", "the seat could do nothing but go out")
    return None


def _table_refusal(situation: CanastaSituation) -> Refusal:
    """CAN-24, CAN-91: why no red three can be tabled."""
    rules, turn = situation.rules, situation.turn
    if not rules.red3discard or not turn.counts[RED]:
        return ("CAN-24", "there is no red three to table")
    if not situation.table or turn.committed:
        return ("CAN-24", "red threes are tabled before the first meld of the turn")
    turn_after = turn.copy()
    turn_after.table(int(rules.red3draw and situation.stock > 0))
    if turn_after.size < 1:
        return ("CAN-24", "tabling a red three never empties the hand")
    if can_finish(turn_after) or (not turn_after.melded and turn_after.size > 1):
        return None
    return unfinished(turn_after)


def _pass_refusal(situation: CanastaSituation) -> Refusal:
    """CAN-63 `meld`, CAN-64: why the turn cannot end without a discard."""
    turn = situation.turn
    if turn.discard:
        others = [*discards(situation), *melds(situation), *questions(situation), WORDS["R"]]
        if any(refusal(move, situation) is None for move in others):
            return ("CAN-14", "a turn ends with a discard")
        return None
    if turn.committed:
        return (binding_clause(turn), "the seat must go out in this turn")
    return _first_meld_refusal(turn)
