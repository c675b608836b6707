"""A game without cards to speak of: every seat says a number, a side scores the sum of its own.

Bots of known strength say what chance lets them score, so that a whole season can be played in
seconds and its ratings held against the truth; and its records verify like any other.
"""

from typing import Any

from engine.cards import pack, texts
from engine.declarations import TABLES, Option, Variant
from engine.errors import IllegalMove
from engine.game import Game, Telling
from engine.results import ranks, result

MOST = 1_000_000
"""The largest number that can be said."""


class SaidDeal:
    """Seat after seat says its number."""

    def __init__(self, fmt: Any, log: Any) -> None:
        self.fmt = fmt
        self.log = log
        self.number = 0
        self.dealer = fmt.seats - 1
        self.turn = self.to_act = 0
        self.truncated = False
        self.said: list[int] = []
        self.stock: list[int] = []

    def copy(self, log: Any) -> Any:
        deal = SaidDeal(self.fmt, log)
        deal.__dict__.update(self.__dict__, log=log, said=self.said[:])
        return deal

    def legal(self) -> Any:
        self.truncated = self.turn >= 0
        return [] if self.turn < 0 else ["0", "1"]

    def check(self, move: Any) -> None:
        if not (move.isascii() and move.isdigit() and len(move) < 8 and int(move) <= MOST):
            raise IllegalMove(move, "SEA-1", f"say a number from 0 to {MOST}")

    def play(self, move: Any) -> Any:
        self.check(move)
        self.log.append(("move", {"seat": self.turn, "move": move}, None))
        self.said.append(int(move))
        self.turn = self.to_act = len(self.said) if len(self.said) < self.fmt.seats else -1

    def scores(self) -> Any:
        there = len(self.said)
        return [sum(self.said[seat] for seat in side if seat < there) for side in self.fmt.sides]

    def sheet(self) -> Any:
        return {"points": self.scores(), "lines": []}

    def result(self, stop: Any) -> Any:
        ended = result(self.scores(), ranks(self.scores()), stop or "deals")
        self.log.append(("end", {"result": ended}, None))
        return ended

    def view(self, seat: Any) -> Any:
        turn = None if self.turn < 0 else self.turn
        shown = {
            "game": "season",
            "format": str(self.fmt),
            "seat": None if seat < 0 else seat,
            "sides": [list(side) for side in self.fmt.sides],
            "deal": 0,
            "dealer": self.dealer,
            "turn": turn,
            "to_act": turn,
            "hand": [],
            "hand_sizes": [0] * self.fmt.seats,
            "stock": len(self.stock),
            "said": self.said[:],
            "scores": self.scores(),
        }
        if seat < 0:
            shown |= {"hands": [[]] * self.fmt.seats, "stock_cards": texts(self.stock)}
        return shown


class Season(Game):
    name = "season"
    title = "Season"
    summary = "Every seat says a number."
    document = "season.md"
    variants = (Variant("plain", "Season", "The only one.", tuple(TABLES)),)
    options = (Option("deals", 1, "Deals to play.", "SEA-2", low=1, high=1),)

    def pack(self, fmt: Any) -> Any:
        return pack()

    def first(self, fmt: Any, deck: Any, log: Any) -> Any:
        deal = SaidDeal(fmt, log)
        deal.stock = list(deck)
        return deal

    def tell(self, fmt: Any, event: Any) -> Any:
        return Telling("")

    def cards(self, view: Any) -> Any:
        return list(view["stock_cards"])


GAME = Season()
