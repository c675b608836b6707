"""One deal of Paks in play (PAK-2 to PAK-6, PAK-11 to PAK-31, PAK-42)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import SUITS, TEXT, insert_card, texts
from engine.deals import BaseDeal, random_index
from engine.events import Event, card_events, hidden_card_events
from engine.games.paks import moves, scoring
from engine.games.paks.options import BOARD, HAND, SEATS, PaksRules
from engine.games.paks.plays import Play
from engine.score_sheet import added

if TYPE_CHECKING:
    from engine.games.paks.json_types import PaksSheet, PaksView, Phase

PAK: Final = "pak"
STEAL: Final = "steal"
OVER: Final = "deal_over"

_DRAWN: Final = card_events("draw", SEATS)
_HIDDEN_DRAWN: Final = hidden_card_events("draw", SEATS)
_ENDED: Final[list[Event]] = [
    ("move", {"seat": seat, "move": moves.END}, None) for seat in range(SEATS)
]
_FED: Final = card_events("feed", SEATS)

# `prefer` chooses among this many moves: the cheapest, which are listed first.
_MAX_PLAYOUT_CHOICES: Final = 6


class PaksDeal(BaseDeal):
    """The state of a deal; implements `engine.game.Deal`.

    Cards are integers. `hands`, `known` and `paks` are lists by seat.
    """

    __slots__ = (
        "_counted",
        "_legal_moves",
        "_plays",
        "board",
        "compulsory",
        "drawn",
        "known",
        "paks",
        "phase",
        "rules",
        "totals",
        "used",
    )

    def __init__(self, rules: PaksRules, log: list[Event]) -> None:
        seats = rules.seats
        super().__init__(seats, log)  # PAK-4: seat n-1 deals first
        self.rules: PaksRules = rules
        self.phase: Phase = PAK
        self.compulsory: bool = False  # the turn began with a hidden draw (PAK-16)
        self.drawn: int = -1  # the card drawn in this turn
        # by seat: the cards in hand that all seats have seen; `shown` in views (PAK-42)
        self.known: list[list[int]] = [[] for _ in range(seats)]
        self.board: list[int] = []
        self.paks: list[list[list[int]]] = [[] for _ in range(seats)]  # paks are immutable
        self.used: list[int] = []  # suits of this turn's pak and thefts (PAK-26)
        self.totals: list[int] = [0] * len(rules.sides)  # points of finished deals (PAK-40)
        self._legal_moves: list[str] | None = None
        self._plays: list[Play] | None = None
        self._counted: scoring.Count | None = None

    # ── dealing ──────────────────────────────────────────────────────────────────────────────────

    def start(self, deck: Sequence[int]) -> None:
        """Deal five cards to each seat, one by one from the dealer's left, and three to the board.

        Then the first turn begins (PAK-5, PAK-6).
        """
        seats = self.rules.seats
        for index, card in enumerate(deck[: HAND * seats]):
            insert_card(self.hands[(self.dealer + 1 + index) % seats], card)
        self.board = sorted(deck[HAND * seats : HAND * seats + BOARD])
        self.stock = list(deck)
        self.stock_at = HAND * seats + BOARD
        public: dict[str, Any] = {"dealer": self.dealer, "board": texts(self.board)}
        self.log.append(("deal_start", public, self.own_hands()))
        self._begin((self.dealer + 1) % seats)  # PAK-6

    def next(self, deck: Sequence[int]) -> PaksDeal:
        """The next deal of the match. The next seat clockwise deals (PAK-4)."""
        deal = PaksDeal(self.rules, self.log)
        deal.follow(self)
        deal.totals = self.totals[:]
        deal.start(deck)
        return deal

    def copy(self, log: list[Event]) -> PaksDeal:
        deal = PaksDeal(self.rules, log)
        self.copy_base(deal)
        deal.phase = self.phase
        deal.compulsory = self.compulsory
        deal.drawn = self.drawn
        deal.known = [cards[:] for cards in self.known]
        deal.board = self.board[:]
        deal.paks = [row[:] for row in self.paks]
        deal.used = self.used[:]
        deal.totals = self.totals[:]
        deal._legal_moves = self._legal_moves
        deal._plays = self._plays
        deal._counted = self._counted
        return deal

    # ── drawing and feeding ──────────────────────────────────────────────────────────────────────

    def _begin(self, seat: int) -> None:
        """Begin the turn of `seat`. If its card feeds the table, begin the next turn, and so on.

        If the stock is empty, end the deal (PAK-31).
        """
        while self.stock_at < len(self.stock):
            self.turn = self.to_act = seat
            self.phase = PAK
            self.used = []
            self.drawn = self.stock[self.stock_at]
            self.stock_at += 1
            if not self._draw_or_feed(seat, self.drawn):
                return
            seat = (seat + 1) % self.rules.seats
        self._finish()

    def _draw_or_feed(self, seat: int, card: int) -> bool:
        """Draw a card (PAK-11). Return True if it went to the board, which ends the turn."""
        board_suits = 0
        for board_card in self.board:
            board_suits |= 1 << (board_card & 3)
        self.compulsory = board_suits == 15
        if self.compulsory:  # PAK-16: the other seats do not see the card
            if not self.quiet:
                self.log.append(_HIDDEN_DRAWN[seat][card])
            insert_card(self.hands[seat], card)
            return False
        if not self.quiet:
            self.log.append(_DRAWN[seat][card])
        if not board_suits >> (card & 3) & 1:  # PAK-12, PAK-14: the board lacks this suit
            insert_card(self.board, card)
            if not self.quiet:
                self.log.append(_FED[seat][card])
            return True
        insert_card(self.hands[seat], card)  # PAK-13
        insert_card(self.known[seat], card)
        return False

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def situation(self) -> moves.PaksSituation:
        """The facts on which the moves of the seat to act depend."""
        return moves.PaksSituation(
            self.turn,
            self.phase == STEAL,
            self.compulsory,
            self.hands[self.turn],
            self.board,
            self.paks,
            self.used,
        )

    def legal(self) -> list[str]:
        """The moves of the seat to act, at most 512 (docs/rules/paks.md, section 4)."""
        if self._legal_moves is None:
            self._legal_moves = [play.text for play in self._legal()]
        return self._legal_moves

    def _legal(self) -> list[Play]:
        if self._plays is None:
            self._plays, self.truncated = moves.legal(self.situation())
        return self._plays

    def count(self) -> int:
        return len(self._legal())

    def codes(self) -> list[int]:
        return [play.code for play in self._legal()]

    def prefer(self, rand: Callable[[], float]) -> int:
        """The index of one of the cheapest paks or thefts; else of the end of the turn."""
        plays = self._legal()
        first = 1 if plays[0].kind == moves.END and len(plays) > 1 else 0
        choices = len(plays) - first
        if choices > _MAX_PLAYOUT_CHOICES:
            choices = _MAX_PLAYOUT_CHOICES
        return first + random_index(rand, choices)

    def play_own(self, rand: Callable[[], float]) -> None:
        """Make the cheapest pak or theft with a random target; else end the turn."""
        self.make_move(moves.cheapest_move(self.situation(), rand))

    def check(self, move: str) -> None:
        moves.read(self.situation(), move)

    def play(self, move: str) -> None:
        self.make_move(self._listed(move) or moves.read(self.situation(), move))

    def _listed(self, text: str) -> Play | None:
        """The move with this text, if the moves are listed and it is among them."""
        if self._plays is not None:
            for play in self._plays:
                if play.text == text:
                    return play
        return None

    def play_at(self, place: int) -> None:
        self.make_move(self._legal()[place])

    def make_move(self, play: Play) -> None:
        """Make a pak with any cards (PAK-15) or a theft, end the turn, or pass (PAK-13, PAK-23)."""
        seat = self.turn
        self._legal_moves = self._plays = None
        self.truncated = False
        ends_turn = play.kind == moves.END
        if not self.quiet:
            event = _ENDED[seat] if ends_turn else ("move", {"seat": seat, "move": play.text}, None)
            self.log.append(event)
        if play.kind == moves.PASS:  # PAK-17, PAK-42: the seat shows its hand
            self.known[seat] = self.hands[seat][:]
            self.log.append(("show", {"seat": seat, "hand": texts(self.hands[seat])}, None))
            ends_turn = True
        if ends_turn:  # PAK-30
            self._begin((seat + 1) % self.rules.seats)
            return
        for card in play.cards:
            self.hands[seat].remove(card)
            if card in self.known[seat]:
                self.known[seat].remove(card)
        if play.kind == "pak":  # PAK-20
            self.board.remove(play.card)
            pak = [*play.cards, play.card]
        else:
            pak = [*play.cards, *self._stolen(play)]
        pak.sort()
        self.paks[seat].append(pak)  # PAK-22, PAK-28: the new pak goes last
        self.used.append(pak[0] & 3)
        self.phase = STEAL

    def _stolen(self, play: Play) -> list[int]:
        """Remove the stolen paks from their owner's row, and return their cards (PAK-29)."""
        owner_paks = self.paks[play.owner]
        self.paks[play.owner] = [
            pak for index, pak in enumerate(owner_paks) if index not in play.paks
        ]
        return [card for index in play.paks for card in owner_paks[index]]

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _finish(self) -> None:
        """End the deal and score it (PAK-31 to PAK-37).

        Cards in hands and on the board count for nobody (PAK-32).
        """
        self._counted = scored = scoring.count(self.rules, self.paks)
        self.totals = added(self.totals, scored.points)
        self.turn = self.to_act = -1
        self.phase = OVER
        data: dict[str, Any] = {
            "thrown": scoring.by_suit(scored.thrown),
            "points": scored.points[:],
            "scores": self.totals[:],
        }
        self.log.append(("deal_end", data, None))

    def result(self, stop: str) -> dict[str, Any] | None:
        """The result of the match, or None if another deal follows (PAK-38, PAK-39, PAK-41)."""
        return self.log_end(scoring.outcome(self.rules, self.number, self.totals, stop))

    def scores(self) -> list[int]:
        """The points of the finished deals, by side (PAK-40)."""
        return self.totals[:]

    def sheet(self) -> PaksSheet:
        scored = self._counted or scoring.count(self.rules, self.paks)
        return scoring.sheet(scored, self.totals)

    # ── the view ─────────────────────────────────────────────────────────────────────────────────

    def view(self, seat: int) -> PaksView:
        """What a seat sees (docs/rules/paks.md, section 5); all cards if `seat` is -1."""
        rules = self.rules
        drawn_is_visible = self.drawn >= 0 and (not self.compulsory or seat in (-1, self.turn))
        view: PaksView = {
            **self.heading("paks", rules.text, rules.sides, seat),
            "phase": self.phase,
            "compulsory": self.compulsory,
            "drawn": TEXT[self.drawn] if drawn_is_visible else None,
            "hand": self.hand_of(seat),
            "hand_sizes": [len(hand) for hand in self.hands],
            "shown": [[TEXT[card] for card in cards] for cards in self.known],
            "board": [TEXT[card] for card in self.board],
            "stock": self.stock_left,
            "paks": [[[TEXT[card] for card in pak] for pak in row] for row in self.paks],
            "used_suits": [SUITS[suit] for suit in self.used],
            "scores": self.totals[:],
        }
        if seat < 0:
            self.show_all(view)
        return view
