"""The reasons why a move is not legal, with the clause that forbids it (CAN-12 to CAN-91)."""

from __future__ import annotations

from engine.errors import IllegalMove
from engine.games.canasta.card_kinds import BLACK, JOKER, RED, TWO, is_takeable, is_wild
from engine.games.canasta.moves import (
    ASK,
    DISCARD,
    DRAW,
    MELD,
    MOVES_BY_TEXT,
    PASS,
    PHASE_ANSWER,
    PHASE_CHOOSE,
    REPLY,
    TABLE,
    TAKE,
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
    is_legal_extension,
    meld_key,
)
from engine.games.canasta.turn_state import CANASTA, MeldCounts, TurnState

Refusal = tuple[str, str]  # clause and reason


def read(text: str, situation: CanastaSituation) -> CanastaMove:
    """The legal move with this text; IllegalMove with the clause that forbids it."""
    move = parse(text, situation)
    reason = refusal(move, situation)
    if reason is not None:
        raise IllegalMove(text, reason[0], reason[1])
    return move


def refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """The clause that forbids the move, and the reason; None if it is legal."""
    phase = situation.phase
    action = move.action
    if phase == PHASE_ANSWER:
        if action == REPLY:
            return None
        return ("CAN-86", "the seat must first answer the question with yes or no")
    if action == REPLY:
        return ("CAN-86", "there is no question to answer")
    if phase == PHASE_CHOOSE:
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


def _draw_or_take_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why a move is not legal in part 1 of the turn: draw, take, pass (CAN-12, CAN-60, CAN-61)."""
    if move.action == DRAW:
        return None if situation.stock else ("CAN-60", "the stock is empty")
    if move.action == TAKE:
        return _take_refusal(move, situation)
    if move.action != PASS:
        return ("CAN-12", "the seat must first draw or take the pile")
    if situation.stock:
        return ("CAN-60", "while the stock lasts, a seat that does not take the pile must draw")
    for number in range(1, len(_top_melds(situation)) + 1):
        if _take_refusal(laying_off(situation.top, number), situation) is None:
            return ("CAN-61", "the top card can be laid off, so the pile must be taken")
    return None


def _top_melds(situation: CanastaSituation) -> MeldCounts:
    """The side's melds of the top card's rank."""
    top = situation.top
    may_have_melds = top == BLACK or (top >= 0 and is_takeable(top))
    return situation.turn.meld_counts[top] if may_have_melds else ()


def _take_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why the move cannot take the pile (CAN-17, CAN-25 to CAN-32)."""
    rules, turn, top = situation.rules, situation.turn, situation.top
    if top < 0:
        return ("CAN-17", "there is no pile")
    if not is_takeable(top):
        return ("CAN-31", "a pile topped by a three or a wild card cannot be taken")
    if not rules.onecard and len(situation.pile) == 1 and turn.size == 1:
        return ("CAN-30", "with one card in hand, a pile of one card may not be taken")
    top_melds = turn.meld_counts[top]
    reason = (
        _laying_off_refusal(move, situation)
        if not move.cards
        else _matching_refusal(move, situation)
    )
    if reason is not None:
        return reason
    if move.cards and move.number <= len(top_melds):
        naturals_before, wilds_before = top_melds[move.number - 1]
        wild = int(move.cards[1] != top)
        key = meld_key(rules, top)
        if not is_legal_extension(key, naturals_before, wilds_before, 3 - wild, wild):
            return ("CAN-32", "with these cards, the meld would have too many wild cards")
        if _take_refusal(laying_off(top, move.number), situation) is None:
            return ("CAN-29", "the top card can be laid off: take the pile, then add the cards")
    kinds_below_top = situation.kinds_below_top
    if turn.had_meld and turn.size - len(move.cards) + len(kinds_below_top) > 1:  # CAN-47
        return None
    turn_after = turn.copy()
    turn_after.pending = kinds_below_top
    turn_after.lay(top, move.number, move.cards, top)
    turn_after.collect_pending()
    return None if can_finish(turn_after) else dead_end_refusal(turn_after)


def _laying_off_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why the top card cannot be laid off (CAN-29)."""
    top_melds = _top_melds(situation)
    if not 1 <= move.number <= len(top_melds):
        return ("CAN-29", "the side has no such meld of the top card's rank")
    if situation.frozen:
        return ("CAN-27", "the pile is frozen: only a natural pair from the hand takes it")
    if not situation.rules.lay and sum(top_melds[move.number - 1]) >= CANASTA:
        return ("CAN-29", "with lay=false the top card cannot be laid off on a canasta")
    return None


def _matching_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why the top card cannot be melded with two cards from the hand (CAN-27, CAN-28)."""
    rules, counts, top = situation.rules, situation.turn.counts, situation.top
    first, second = move.cards
    if first != top or second not in (top, TWO, JOKER):
        return (
            "CAN-28",
            "the first of the two cards must match the top card's rank; "
            "the second must match it or be wild",
        )
    if second != top and (situation.frozen or rules.pair):
        return ("CAN-27", "only a natural pair from the hand takes the pile")
    if counts[top] < (2 if second == top else 1) or not counts[second]:
        return ("CAN-28", "the hand does not hold these cards")
    meld_count = len(_top_melds(situation))
    may_open = rules.tworank or not meld_count
    if not 1 <= move.number <= meld_count + may_open:
        return (
            "CAN-41",
            "the side has no meld with this number, and a new meld would get a different one",
        )
    return None


def _meld_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why these cards cannot be melded now (CAN-36 to CAN-43, CAN-91)."""
    reason = fit_refusal(move, situation)
    if reason is not None:
        return reason
    turn_after = turn_after_meld(situation.turn, move)
    return None if can_finish(turn_after) else dead_end_refusal(turn_after)


def fit_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why the hand or the melds rule out the move (CAN-36 to CAN-43).

    Does not check whether the turn can still be finished. Only `wild_card_refusal` can refuse a
    move from `moves.melds`.
    """
    rules, turn, kind = situation.rules, situation.turn, move.kind
    rank_melds = turn.meld_counts[kind]
    opening = len(move.cards) == 3
    if opening and (move.cards[0] != kind or move.cards[1] != kind):
        return ("CAN-37", "a meld opens with at least two natural cards of its rank")
    last_card = move.cards[-1]
    wild = last_card != kind
    if wild and not is_wild(last_card):
        return ("CAN-36", "a meld may contain only cards of its rank and wild cards")
    naturals = len(move.cards) - wild
    if turn.counts[kind] < naturals or (wild and not turn.counts[last_card]):
        return ("CAN-82", "the hand does not hold these cards")
    if kind == BLACK and turn.pending:
        return ("CAN-40", "black threes cannot be melded while pile cards are pending")
    if opening and rank_melds and not rules.tworank:
        return ("CAN-41", "the side already has a meld of this rank, and may have only one")
    if opening and move.number != len(rank_melds) + 1:
        return ("CAN-41", f"a new meld of this rank gets number {len(rank_melds) + 1}")
    if not opening and not 1 <= move.number <= len(rank_melds):
        return ("CAN-36", "the side has no such meld")
    return wild_card_refusal(move, turn)


def wild_card_refusal(move: CanastaMove, turn: TurnState) -> Refusal | None:
    """Why the meld would have too many wild cards (CAN-38, CAN-40)."""
    kind, rank_melds = move.kind, turn.meld_counts[move.kind]
    is_new = move.number > len(rank_melds)
    naturals_before, wilds_before = (0, 0) if is_new else rank_melds[move.number - 1]
    wild = int(move.cards[-1] != kind)
    key = meld_key(turn.rules, kind)
    if is_legal_extension(key, naturals_before, wilds_before, len(move.cards) - wild, wild):
        return None
    if kind == BLACK and not turn.rules.wildblack3:
        return ("CAN-40", "black threes cannot be melded with wild cards")
    return ("CAN-38", "a meld has at most three wild cards")


def turn_after_meld(turn: TurnState, move: CanastaMove) -> TurnState:
    """The turn after this meld."""
    turn_after = turn.copy()
    turn_after.lay(move.kind, move.number, move.cards)
    return turn_after


def binding_clause(turn: TurnState) -> str:
    """The clause that obliges a seat to go out.

    This is CAN-40 if its side has melded black threes, otherwise CAN-57: the partner said yes.
    """
    return "CAN-40" if turn.meld_counts[BLACK] else "CAN-57"


def dead_end_refusal(turn_after: TurnState) -> Refusal:
    """Why a seat could not finish its turn after a move."""
    if turn_after.committed:
        return (
            binding_clause(turn_after),
            "the seat must go out in this turn, and this move would prevent it",
        )
    if turn_after.need:
        return ("CAN-33", "the minimum of the first meld could no longer be reached")
    return ("CAN-46", "the hand would be too small, and the seat could not go out")


def _discard_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why this card cannot be discarded now (CAN-13, CAN-91)."""
    if not situation.turn.counts[move.kind]:
        return ("CAN-13", "the hand holds no such card")
    if move.kind == RED and not situation.rules.red3discard:
        return ("CAN-13", "a red three is never discarded")
    return any_discard_refusal(situation.turn)


def any_discard_refusal(turn: TurnState) -> Refusal | None:
    """Why no card can be discarded now."""
    if turn.pending:
        return ("CAN-35", "pile cards are pending: the minimum must be reached first")
    if not turn.has_discard:
        return ("CAN-63", "this turn has no discard")
    if turn.size == 1 and turn.exempt:  # CAN-55
        return _last_card_refusal(turn)
    return _first_meld_refusal(turn) or _last_card_refusal(turn)


def _first_meld_refusal(turn: TurnState) -> Refusal | None:
    """Why the turn cannot end: the seat has begun a first meld below the minimum (CAN-91)."""
    if not turn.melded or not turn.need:
        return None
    return ("CAN-35", "the first meld is not worth the minimum yet")


def _last_card_refusal(turn: TurnState) -> Refusal | None:
    """Why the number of the seat's cards forbids a discard (CAN-45, CAN-50); None if it does not.

    With one card left the seat would go out, and with more it would not.
    """
    if turn.size > 1:
        return (
            (binding_clause(turn), "the seat must go out in this turn") if turn.committed else None
        )
    if turn.refused:
        return ("CAN-57", "the partner said no")
    if turn.canastas < turn.rules.canastas:
        return ("CAN-45", "the last card may be discarded only if the side may go out")
    if turn.had_meld or turn.exempt or (turn.melded and not turn.need):
        return None
    return ("CAN-33", "the first meld is not worth the minimum yet")


def _ask_refusal(move: CanastaMove, situation: CanastaSituation) -> Refusal | None:
    """Why the seat cannot ask this partner now (CAN-56 to CAN-58)."""
    if move.seat not in situation.partners:
        return ("CAN-58", "only a partner who is playing in this deal can be asked")
    return any_question_refusal(situation, out=can_go_out(situation.turn))


def any_question_refusal(situation: CanastaSituation, *, out: bool) -> Refusal | None:
    """Why the seat can ask no partner (CAN-56, CAN-57). `out`: whether the seat can go out."""
    turn = situation.turn
    if not situation.may_ask or turn.pending:
        return ("CAN-56", "a seat asks once, before its first meld of the turn")
    if not out:
        return ("CAN-57", "the seat could not go out")
    if not can_stay(turn) and (turn.melded or turn.size < 2):
        return ("CAN-57", "the seat could do nothing but go out")
    return None


def _table_refusal(situation: CanastaSituation) -> Refusal | None:
    """Why no red three can be tabled (CAN-24, CAN-91)."""
    rules, turn = situation.rules, situation.turn
    if not rules.red3discard or not turn.counts[RED]:
        return ("CAN-24", "there is no red three to table")
    if not situation.may_table or turn.committed:
        return ("CAN-24", "red threes are tabled before the first meld of the turn")
    turn_after = turn.copy()
    turn_after.table(int(rules.red3draw and situation.stock > 0))
    if turn_after.size < 1:
        return ("CAN-24", "tabling this red three would empty the hand, which is not allowed")
    if can_finish(turn_after) or (not turn_after.melded and turn_after.size > 1):
        return None
    return dead_end_refusal(turn_after)


def _pass_refusal(situation: CanastaSituation) -> Refusal | None:
    """Why the turn cannot end without a discard (CAN-63 with `last3=meld`, CAN-64)."""
    turn = situation.turn
    if turn.has_discard:
        others = [*discards(turn), *melds(turn), *questions(situation)]
        if any(refusal(move, situation) is None for move in (*others, MOVES_BY_TEXT["R"])):
            return ("CAN-14", "a turn ends with a discard")
        return None
    if turn.committed:
        return (binding_clause(turn), "the seat must go out in this turn")
    return _first_meld_refusal(turn)
