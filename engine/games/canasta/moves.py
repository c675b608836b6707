"""Canasta's moves: their notation (CAN-82), and the moves that a hand's cards allow (CAN-85)."""

from __future__ import annotations

import re
from typing import Final

from engine.deals import digest
from engine.errors import IllegalMove
from engine.games.canasta.card_kinds import (
    JOKER,
    KIND,
    KINDS,
    NATURAL,
    RANKED,
    RED,
    SYMBOLS,
    TWO,
    is_takeable,
    is_wild,
)
from engine.games.canasta.options import SEATS, CanastaRules
from engine.games.canasta.turn_state import TurnState

PHASE_CHOOSE: Final = "choose"
PHASE_MELD: Final = "meld"
PHASE_ANSWER: Final = "answer"
PHASE_OVER: Final = "over"

DRAW: Final = 0
TAKE: Final = 1
PASS: Final = 2
MELD: Final = 3
ASK: Final = 4
REPLY: Final = 5
DISCARD: Final = 6
TABLE: Final = 7  # the move `R` tables a red three (CAN-24)

_TAKE = re.compile(r"take(?:#(\d+))?(?::(..))?")
_MELD = re.compile(r"([A3-9TJQK])(?:#(\d+))?:(.|...)")


class CanastaMove:
    """A move, which names kinds instead of cards (CAN-84). Immutable, so situations share it.

    `kind`: the kind of the meld or the discard. `cards`: the kinds of the cards from the hand.
    """

    __slots__ = ("_code", "action", "cards", "kind", "number", "seat", "text", "wild", "yes")

    def __init__(
        self, action: int, text: str, kind: int = -1, number: int = 1, cards: tuple[int, ...] = ()
    ) -> None:
        self.action: int = action
        self.text: str = text
        self.kind: int = kind
        self.number: int = number  # the meld's number, from 1
        self.cards: tuple[int, ...] = cards
        self.wild: bool = bool(cards) and is_wild(cards[-1])  # only the last card can be wild
        self.seat: int = -1  # the seat that is asked
        self.yes: bool = False
        self._code: int = -1

    @property
    def code(self) -> int:
        """The number that identifies the move in searches; computed on first use."""
        if self._code < 0:
            self._code = digest(self.text)
        return self._code


class CanastaSituation:
    """The facts on which the legal moves depend."""

    __slots__ = (
        "frozen",
        "may_ask",
        "may_table",
        "partners",
        "phase",
        "pile",
        "rules",
        "stock",
        "top",
        "turn",
    )  # fmt: skip

    def __init__(
        self,
        rules: CanastaRules,
        phase: str,
        turn: TurnState,
        stock: int,
        pile: list[int],
        partners: list[int],
    ) -> None:
        self.rules: CanastaRules = rules
        self.phase: str = phase
        self.turn: TurnState = turn
        self.stock: int = stock  # cards left
        self.pile: list[int] = pile  # the pile's cards; empty if no legal move depends on them
        self.top: int = -1  # the kind of the pile's top card; -1 if the pile is empty
        self.frozen: bool = False  # whether the pile is frozen for the side in turn
        self.partners: list[int] = partners  # the seats that the seat in turn may ask
        # Whether the seat may ask: not if it has asked, or melded with the pile in hand (CAN-56).
        self.may_ask: bool = False
        self.may_table: bool = False  # whether the seat may table a red three (CAN-24)

    @property
    def kinds_below_top(self) -> list[int]:
        """The kinds of the pile's cards below the top card, without red threes."""
        return [KIND[card] for card in self.pile[:-1] if KIND[card] != RED]


# ── spelling ─────────────────────────────────────────────────────────────────────────────────────


def _meld_move(action: int, kind: int, number: int, cards: tuple[int, ...]) -> CanastaMove:
    """A move that names a meld (CAN-82, CAN-83)."""
    name = ("take" if action == TAKE else SYMBOLS[kind]) + (f"#{number}" if number > 1 else "")
    text = "".join([SYMBOLS[card] for card in cards])
    return CanastaMove(action, f"{name}:{text}" if cards else name, kind, number, cards)


def _reply(text: str, *, yes: bool) -> CanastaMove:
    move = CanastaMove(REPLY, text)
    move.yes = yes
    return move


YES: Final = _reply("yes", yes=True)
NO: Final = _reply("no", yes=False)
MOVES_BY_TEXT: Final = {
    "draw": CanastaMove(DRAW, "draw"),
    "pass": CanastaMove(PASS, "pass"),
    "R": CanastaMove(TABLE, "R"),
    "yes": YES,
    "no": NO,
}
DISCARDS: Final = [CanastaMove(DISCARD, f"-{SYMBOLS[kind]}", kind) for kind in range(KINDS)]


def _question(seat: int, text: str) -> CanastaMove:
    move = CanastaMove(ASK, text)
    move.seat = seat
    return move


# By seat of the partner: the question to the only partner, and to one of several (CAN-58).
_ONLY: Final = [_question(seat, "ask") for seat in range(SEATS)]
_NAMED: Final = [_question(seat, f"ask:{seat}") for seat in range(SEATS)]

# By kind, then by the number of the meld; created on first use.
_ADDITIONS: Final[list[list[list[CanastaMove]]]] = [[] for _ in range(KINDS)]
_OPENINGS: Final[list[list[list[CanastaMove]]]] = [[] for _ in range(KINDS)]
_LAYINGS: Final[list[list[CanastaMove]]] = [[] for _ in range(KINDS)]
_MATCHINGS: Final[list[list[list[CanastaMove]]]] = [[] for _ in range(KINDS)]


def additions(kind: int, number: int) -> list[CanastaMove]:
    """The moves that add a natural card, a two or a joker to meld `number` of a kind."""
    row = _ADDITIONS[kind]
    for meld_number in range(len(row) + 1, number + 1):
        row.append([_meld_move(MELD, kind, meld_number, (card,)) for card in (kind, TWO, JOKER)])
    return row[number - 1]


def openings(kind: int, number: int) -> list[CanastaMove]:
    """The moves that open meld `number` of a kind.

    They use three natural cards, or two with a two, or two with a joker.
    """
    row = _OPENINGS[kind]
    for meld_number in range(len(row) + 1, number + 1):
        row.append(
            [_meld_move(MELD, kind, meld_number, (kind, kind, card)) for card in (kind, TWO, JOKER)]
        )
    return row[number - 1]


def laying_off(top: int, number: int) -> CanastaMove:
    """The move that takes the pile and lays its top card off on meld `number`."""
    row = _LAYINGS[top]
    for meld_number in range(len(row) + 1, number + 1):
        row.append(_meld_move(TAKE, top, meld_number, ()))
    return row[number - 1]


def matchings(top: int, number: int) -> list[CanastaMove]:
    """The moves that take the pile and meld its top card with two cards from the hand.

    These are a pair of the top card's rank, or one such card and a two or a joker.
    """
    row = _MATCHINGS[top]
    for meld_number in range(len(row) + 1, number + 1):
        row.append([_meld_move(TAKE, top, meld_number, (top, card)) for card in (top, TWO, JOKER)])
    return row[number - 1]


def parse(text: str, situation: CanastaSituation) -> CanastaMove:
    """The move with this text; IllegalMove if it is not the text of a move (CAN-82)."""
    move = _move_without_meld(text, situation)
    if move is None and text[:1] == "-" and len(text) == 2 and text[1] in SYMBOLS:
        move = DISCARDS[SYMBOLS.index(text[1])]
    if move is None:
        take_match = _TAKE.fullmatch(text)
        if take_match:
            cards = tuple([SYMBOLS.find(card) for card in take_match.group(2) or ""])
            move = _meld_move(TAKE, situation.top, int((take_match.group(1) or "1")[:3]), cards)
    if move is None:
        meld_match = _MELD.fullmatch(text)
        if meld_match:
            kind = SYMBOLS.index(meld_match.group(1))
            cards = tuple([SYMBOLS.find(card) for card in meld_match.group(3)])
            move = _meld_move(MELD, kind, int((meld_match.group(2) or "1")[:3]), cards)
    if move is None or move.text != text or -1 in move.cards:
        raise IllegalMove(
            text, "CAN-82", "moves are draw, take, take:77, K:KKX, K:2, -5, ask, yes, no, R, pass"
        )
    return move


def _move_without_meld(text: str, situation: CanastaSituation) -> CanastaMove | None:
    """The move with this text, if it is a plain word; else None."""
    partners = situation.partners
    if text == "ask" and len(partners) == 1:
        return _ONLY[partners[0]]
    if text[:4] == "ask:" and len(text) == 5 and text[4] in "012345" and len(partners) != 1:
        return _NAMED[int(text[4])]
    return MOVES_BY_TEXT.get(text)


# ── what the cards allow, in the order of CAN-85 ─────────────────────────────────────────────────


def takings(situation: CanastaSituation) -> list[CanastaMove]:
    """The moves that take the pile for which the side has a meld, or the hand has the cards."""
    top = situation.top
    if top < 0 or not is_takeable(top):  # CAN-31
        return []
    counts = situation.turn.counts
    meld_count = len(situation.turn.meld_counts[top])
    moves: list[CanastaMove] = []
    if not situation.frozen:
        moves += [laying_off(top, number) for number in range(1, meld_count + 1)]
    min_naturals = 2 if situation.frozen else 1  # CAN-27
    if counts[top] < min_naturals or not (counts[top] > 1 or counts[TWO] or counts[JOKER]):
        return moves
    may_open = situation.rules.tworank or not meld_count  # CAN-41
    for number in range(1, meld_count + may_open + 1):
        moves += matchings(top, number)
    return moves


def questions(situation: CanastaSituation) -> list[CanastaMove]:
    """The moves that ask a partner."""
    by_seat = _ONLY if len(situation.partners) == 1 else _NAMED
    return [by_seat[seat] for seat in situation.partners]


def melds(turn: TurnState) -> list[CanastaMove]:
    """The melds for which the hand has the cards.

    They contain no black threes while cards are pending (CAN-40).
    """
    counts, meld_counts = turn.counts, turn.meld_counts
    two, joker = counts[TWO] > 0, counts[JOKER] > 0
    moves: list[CanastaMove] = []
    for kind in NATURAL if turn.pending else RANKED:
        held_count, meld_count = counts[kind], len(meld_counts[kind])
        if meld_count and (held_count or two or joker):
            for number in range(1, meld_count + 1):
                _add_playable(moves, additions(kind, number), held_count > 0, two, joker)
        if held_count > 1 and (not meld_count or turn.rules.tworank):  # CAN-37, CAN-41
            _add_playable(moves, openings(kind, meld_count + 1), held_count > 2, two, joker)
    return moves


def _add_playable(
    moves: list[CanastaMove],
    row: list[CanastaMove],
    natural: bool,  # noqa: FBT001 - whether the hand has such a card
    two: bool,  # noqa: FBT001
    joker: bool,  # noqa: FBT001
) -> None:
    """Append the moves of `row` for which the hand has the last card: natural, a two, a joker."""
    if natural:
        moves.append(row[0])
    if two:
        moves.append(row[1])
    if joker:
        moves.append(row[2])


def discards(turn: TurnState) -> list[CanastaMove]:
    """A discard for each kind in the hand; red threes only with `red3discard` (CAN-13, CAN-24)."""
    counts, red = turn.counts, turn.rules.red3discard
    return [DISCARDS[kind] for kind in range(KINDS) if counts[kind] > 0 and (kind != RED or red)]
