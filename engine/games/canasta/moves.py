"""Canasta's moves: their spelling (CAN-82), what forbids one, and their order (CAN-85)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from engine.errors import IllegalMove
from engine.games.canasta.finish import (
    CANASTA,
    Stand,
    can_finish,
    can_go_out,
    can_stay,
    grown,
    key_of,
)
from engine.games.canasta.kinds import BLACK, JOKER, KINDS, RANKED, RED, SYMBOLS, TWO, UNKNOWN
from engine.games.canasta.options import Rules

CHOOSE: Final = "choose"
MELDING: Final = "meld"
ANSWER: Final = "answer"
OVER: Final = "over"

DRAW: Final = 0
TAKE: Final = 1
PASS: Final = 2
MELD: Final = 3
ASK: Final = 4
REPLY: Final = 5
DISCARD: Final = 6
TABLE: Final = 7  # `R` (CAN-24)

_TAKE = re.compile(r"take(?:#(\d+))?(?::(..))?")
_MELD = re.compile(r"([A3-9TJQK])(?:#(\d+))?:(.|...)")


class Move(NamedTuple):
    """A move: kinds, not cards (CAN-84). `number` of a meld, from 1; `seat` that is asked."""

    action: int
    kind: int = -1
    number: int = 1
    cards: tuple[int, ...] = ()
    seat: int = -1
    yes: int = 0


class Situation:
    """All that decides which moves are legal."""

    __slots__ = ("ask", "frozen", "partners", "phase", "rest", "rules", "stand", "stock", "table",
                 "top")  # fmt: skip

    def __init__(self, rules: Rules, phase: str, stand: Stand, stock: int) -> None:
        self.rules: Rules = rules
        self.phase: str = phase
        self.stand: Stand = stand
        self.stock: int = stock  # cards left
        self.top: int = -1  # kind of the pile's top card; -1: no pile
        self.rest: list[int] = []  # kinds below it, red threes included
        self.frozen: bool = False  # for the side in turn
        self.partners: list[int] = []  # whom the seat may ask
        self.ask: bool = False  # no question and no step yet (CAN-56)
        self.table: bool = False  # a red three may be tabled (CAN-24)


Fault = tuple[str, str] | None  # clause and reason


def spell(move: Move, situation: Situation) -> str:
    """The text of a move (CAN-82, CAN-83)."""
    number = f"#{move.number}" if move.number > 1 else ""
    cards = "".join([SYMBOLS[kind] for kind in move.cards])
    if move.action == MELD:
        return f"{SYMBOLS[move.kind]}{number}:{cards}"
    if move.action == DISCARD:
        return f"-{SYMBOLS[move.kind]}"
    if move.action == TAKE:
        return f"take{number}" + (f":{cards}" if cards else "")
    if move.action == ASK:
        return "ask" if len(situation.partners) == 1 else f"ask:{move.seat}"
    if move.action == REPLY:
        return "yes" if move.yes else "no"
    return {DRAW: "draw", PASS: "pass", TABLE: "R"}[move.action]


def parse(text: str, situation: Situation) -> Move:
    """The move written `text`; IllegalMove if nothing is written so (CAN-82)."""
    move = _plain(text, situation)
    if move is None and text[:1] == "-" and len(text) == 2 and text[1] in SYMBOLS:
        move = Move(DISCARD, SYMBOLS.index(text[1]))
    if move is None:
        taken = _TAKE.fullmatch(text)
        if taken:
            cards = tuple([SYMBOLS.find(c) for c in taken.group(2) or ""])
            move = Move(TAKE, situation.top, int((taken.group(1) or "1")[:3]), cards)
    if move is None:
        melded = _MELD.fullmatch(text)
        if melded:
            kind = SYMBOLS.index(melded.group(1))
            cards = tuple([SYMBOLS.find(c) for c in melded.group(3)])
            move = Move(MELD, kind, int((melded.group(2) or "1")[:3]), cards)
    if move is None or spell(move, situation) != text or -1 in move.cards:
        raise IllegalMove(
            text, "CAN-82", "moves are draw, take, take:77, K:KKX, K:2, -5, ask, yes, no, R, pass"
        )
    return move


def _plain(text: str, situation: Situation) -> Move | None:
    """The moves that are a word."""
    if text == "yes" or text == "no":
        return Move(REPLY, yes=int(text == "yes"))
    if text == "ask" and len(situation.partners) == 1:
        return Move(ASK, seat=situation.partners[0])
    if text[:4] == "ask:" and len(text) == 5 and text[4] in "012345":
        return Move(ASK, seat=int(text[4]))
    words = {"draw": DRAW, "pass": PASS, "R": TABLE}
    return Move(words[text]) if text in words else None


def read(text: str, situation: Situation) -> Move:
    """The move written `text`; IllegalMove, naming the clause, if it is not legal now."""
    move = parse(text, situation)
    wrong = fault(move, situation)
    if wrong is not None:
        raise IllegalMove(text, wrong[0], wrong[1])
    return move


def legal(situation: Situation) -> list[Move]:
    """CAN-85: the legal moves in order."""
    return [move for move in _candidates(situation) if fault(move, situation) is None]


def any_take(situation: Situation) -> bool:
    """Whether the pile can be taken at all (CAN-62)."""
    return any(fault(move, situation) is None for move in _takes(situation))


def _candidates(situation: Situation) -> list[Move]:
    """Every move that could be legal, in the order of CAN-85."""
    if situation.phase == ANSWER:
        return [Move(REPLY, yes=1), Move(REPLY, yes=0)]
    if situation.phase == CHOOSE:
        return [Move(DRAW), *_takes(situation), Move(PASS)]
    moves = [Move(ASK, seat=seat) for seat in situation.partners]
    n, shapes = situation.stand.n, situation.stand.shapes
    for kind in RANKED:
        if not n[kind] and not shapes[kind]:
            continue
        for number in range(1, len(shapes[kind]) + 1):
            moves += [Move(MELD, kind, number, (card,)) for card in (kind, TWO, JOKER) if n[card]]
        if n[kind] > 1:
            number = len(shapes[kind]) + 1
            moves += [Move(MELD, kind, number, (kind, kind, card)) for card in (kind, TWO, JOKER)]
    moves += [Move(DISCARD, kind) for kind in range(KINDS) if n[kind]]
    return [*moves, Move(TABLE), Move(PASS)]


def _takes(situation: Situation) -> list[Move]:
    """The ways to take the pile, in the order of CAN-85."""
    top = situation.top
    if top not in RANKED:
        return []
    melds = len(situation.stand.shapes[top])
    moves = [Move(TAKE, top, number) for number in range(1, melds + 1)]
    last = melds + 1 if situation.rules.tworank or not melds else melds
    for number in range(1, last + 1):
        moves += [Move(TAKE, top, number, (top, card)) for card in (top, TWO, JOKER)]
    return moves


def fault(move: Move, situation: Situation) -> Fault:
    """The clause that forbids the move, and why; None if it is legal."""
    phase = situation.phase
    action = move.action
    if phase == ANSWER or action == REPLY:
        if phase == ANSWER and action == REPLY:
            return None
        return ("CAN-86", "yes and no answer a question, and nothing else does")
    if phase == CHOOSE:
        return _choosing(move, situation)
    if action in (DRAW, TAKE):
        return ("CAN-12", "the seat has drawn or taken already")
    if action == MELD:
        return _melding(move, situation)
    if action == DISCARD:
        return _discarding(move, situation)
    if action == ASK:
        return _asking(move, situation)
    return _tabling(situation) if action == TABLE else _passing(situation)


def _choosing(move: Move, situation: Situation) -> Fault:
    """Part 1 of the turn: draw, take or pass (CAN-12, CAN-60, CAN-61)."""
    if move.action == DRAW:
        return None if situation.stock else ("CAN-60", "the stock is empty")
    if move.action == TAKE:
        return _taking(move, situation)
    if move.action != PASS:
        return ("CAN-12", "first the seat draws or takes the pile")
    if situation.stock:
        return ("CAN-60", "while the stock lasts a seat that does not take draws")
    for number in range(1, len(_shape(situation)) + 1):
        if _taking(Move(TAKE, situation.top, number), situation) is None:
            return ("CAN-61", "the top card can be laid off, so the pile must be taken")
    return None


def _shape(situation: Situation) -> tuple[tuple[int, int], ...]:
    """The side's melds of the top card's rank."""
    return situation.stand.shapes[situation.top] if situation.top in RANKED else ()


def _taking(move: Move, situation: Situation) -> Fault:
    """CAN-17, CAN-25 to CAN-32: may the pile be taken so?"""
    rules, stand, top = situation.rules, situation.stand, situation.top
    if top < 0:
        return ("CAN-17", "there is no pile")
    if top == BLACK or top not in RANKED:
        return ("CAN-31", "a pile topped by a three or a wild card cannot be taken")
    if not rules.onecard and not situation.rest and stand.size == 1:
        return ("CAN-30", "with one card in hand a pile of one card may not be taken")
    shape = stand.shapes[top]
    wrong = _laying(move, situation) if not move.cards else _matching(move, situation)
    if wrong is not None:
        return wrong
    if move.cards and move.number <= len(shape):
        a, w = shape[move.number - 1]
        wild = int(move.cards[1] != top)
        if grown(key_of(rules, top), a, w, 3 - wild, wild) < 0:
            return ("CAN-32", "the joined meld would have too many wild cards")
        if _taking(Move(TAKE, top, move.number), situation) is None:
            return ("CAN-29", "the top card can be laid off: take, then add the cards")
    after = stand.copy()
    after.pending = [kind for kind in situation.rest if kind != RED]
    after.lay(top, move.number, move.cards, top)
    after.arrive()
    return None if can_finish(after) else unfinished(after)


def _laying(move: Move, situation: Situation) -> Fault:
    """CAN-29: laying the top card off."""
    shape = _shape(situation)
    if not 1 <= move.number <= len(shape):
        return ("CAN-29", "the side has no such meld of the top card's rank")
    if situation.frozen:
        return ("CAN-27", "the pile is frozen: only a natural pair from the hand takes it")
    if not situation.rules.lay and sum(shape[move.number - 1]) >= CANASTA:
        return ("CAN-29", "with lay=false the pile is not laid off on a canasta")
    return None


def _matching(move: Move, situation: Situation) -> Fault:
    """CAN-27, CAN-28: melding the top card with two cards of the hand."""
    rules, n, top = situation.rules, situation.stand.n, situation.top
    first, second = move.cards
    if first != top or second not in (top, TWO, JOKER):
        return ("CAN-28", "the pile is taken with cards of its top card's rank")
    if second != top and (situation.frozen or rules.pair):
        return ("CAN-27", "only a natural pair from the hand takes the pile")
    if n[top] < (2 if second == top else 1) or not n[second]:
        return ("CAN-28", "the hand does not hold these cards")
    melds = len(_shape(situation))
    last = melds + 1 if rules.tworank or not melds else melds
    if not 1 <= move.number <= last:
        return ("CAN-41", "the side has no meld of this number, nor can it be the next")
    return None


def _melding(move: Move, situation: Situation) -> Fault:
    """CAN-36 to CAN-43: may these cards be melded now?"""
    rules, stand, kind = situation.rules, situation.stand, move.kind
    shape = stand.shapes[kind]
    opening = len(move.cards) == 3
    if opening and (move.cards[0] != kind or move.cards[1] != kind):
        return ("CAN-37", "a meld opens with two natural cards of its rank at least")
    wild = move.cards[-1]
    if wild not in (kind, TWO, JOKER):
        return ("CAN-36", "a meld takes cards of its rank and wild cards")
    if any(stand.n[card] < move.cards.count(card) for card in move.cards):
        return ("CAN-82", "the hand does not hold these cards")
    if kind == BLACK and stand.pending:
        return ("CAN-40", "no black threes while cards of the pile are pending")
    if opening and ((shape and not rules.tworank) or move.number != len(shape) + 1):
        return ("CAN-41", "a new meld has the next number, and there is one meld of a rank")
    if not opening and not 1 <= move.number <= len(shape):
        return ("CAN-36", "the side has no such meld")
    a, w = shape[move.number - 1] if not opening else (0, 0)
    used = int(wild != kind)
    if grown(key_of(rules, kind), a, w, len(move.cards) - used, used) < 0:
        if kind == BLACK:
            return ("CAN-40", "black threes are melded without wild cards")
        return ("CAN-38", "a meld has three wild cards at most")
    after = stand.copy()
    after.lay(kind, move.number, move.cards)
    return None if can_finish(after) else unfinished(after)


def unfinished(after: Stand) -> tuple[str, str]:
    """Why the turn could not be finished: clause and reason."""
    if after.committed:
        return ("CAN-57", "the seat must go out in this turn, and then it could not")
    if after.need:
        return ("CAN-33", "the minimum of the first meld could not be reached any more")
    return ("CAN-46", "the hand would be too small, and the seat could not go out")


def _discarding(move: Move, situation: Situation) -> Fault:
    """CAN-91: may this card be discarded now?"""
    stand = situation.stand
    if not stand.n[move.kind]:
        return ("CAN-13", "the hand holds no such card")
    if move.kind == RED and not situation.rules.red3discard:
        return ("CAN-13", "a red three is never discarded")
    if stand.pending:
        return ("CAN-35", "cards of the pile are pending: first the minimum must be reached")
    if not stand.discard:
        return ("CAN-63", "this turn has no discard")
    if stand.size == 1 and stand.exempt:  # CAN-55
        return _last(stand)
    return _duty(stand) or _last(stand)


def _duty(stand: Stand) -> Fault:
    """The first-meld duty of CAN-91."""
    if not stand.melded or not stand.need:
        return None
    return ("CAN-35", "the first meld is not worth the minimum yet")


def _last(stand: Stand) -> Fault:
    """CAN-45, CAN-50: what a discard leaves."""
    if stand.size > 1:
        return ("CAN-57", "the seat must go out in this turn") if stand.committed else None
    if stand.refused:
        return ("CAN-57", "the partner said no")
    if stand.canastas < stand.rules.canastas:
        return ("CAN-45", "the last card may go only when the side may go out")
    if stand.had or stand.exempt or (stand.melded and not stand.need):
        return None
    return ("CAN-33", "the first meld is not worth the minimum yet")


def _asking(move: Move, situation: Situation) -> Fault:
    """CAN-56, CAN-57: may the seat ask now?"""
    stand = situation.stand
    if move.seat not in situation.partners:
        return ("CAN-58", "only a partner who plays can be asked")
    if not situation.ask or stand.pending:
        return ("CAN-56", "asking comes once, before the first meld of the turn")
    if not can_go_out(stand):
        return ("CAN-57", "the seat could not go out")
    if not can_stay(stand) and (stand.melded or stand.size < 2):
        return ("CAN-57", "the seat could do nothing but go out")
    return None


def _tabling(situation: Situation) -> Fault:
    """CAN-24, CAN-91: may a red three be tabled?"""
    rules, stand = situation.rules, situation.stand
    if not rules.red3discard or not stand.n[RED]:
        return ("CAN-24", "there is no red three to table")
    if not situation.table or stand.committed:
        return ("CAN-24", "red threes are tabled before the first meld of the turn")
    after = stand.copy()
    after.n[RED] -= 1
    if rules.red3draw and situation.stock:
        after.n[UNKNOWN] += 1
    if after.size < 1:
        return ("CAN-24", "tabling a red three never empties the hand")
    if can_finish(after) or (not after.melded and after.size > 1):
        return None
    return unfinished(after)


def _passing(situation: Situation) -> Fault:
    """CAN-63 `meld`, CAN-64: may the turn end without a discard?"""
    stand = situation.stand
    if stand.discard:
        others = [move for move in _candidates(situation) if move.action != PASS]
        if any(fault(move, situation) is None for move in others):
            return ("CAN-14", "a turn ends with a discard")
        return None
    if stand.committed:
        return ("CAN-57", "the seat must go out in this turn")
    return _duty(stand)
