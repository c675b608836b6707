"""A game in which each seat says a number and each side scores the sum of its numbers.

Bots of known strength say random numbers, so tests can play a whole season in seconds and compare
its ratings with the true strengths. Its records verify like all others.
"""

from typing import Any

from engine.cards import pack, texts
from engine.declarations import TABLES, Option, Variant
from engine.errors import IllegalMove
from engine.game import Game, Telling
from engine.results import ranks, result

MAX_NUMBER = 1_000_000
"""The largest number that a seat may say."""


class NumberDeal:
    """A deal in which the seats say their numbers in turn."""

    def __init__(self, fmt: Any, log: Any) -> None:
        self.fmt = fmt
        self.log = log
        self.number = 0
        self.dealer = fmt.seats - 1
        self.turn = self.to_act = 0
        self.truncated = False
        self.numbers: list[int] = []
        self.stock: list[int] = []

    def copy(self, log: Any) -> Any:
        deal = NumberDeal(self.fmt, log)
        deal.__dict__.update(self.__dict__, log=log, numbers=self.numbers[:])
        return deal

    def legal(self) -> Any:
        self.truncated = self.turn >= 0
        return [] if self.turn < 0 else ["0", "1"]

    def check(self, move: Any) -> None:
        if not (move.isascii() and move.isdigit() and len(move) < 8 and int(move) <= MAX_NUMBER):
            raise IllegalMove(move, "SEA-1", f"say a number from 0 to {MAX_NUMBER}")

    def play(self, move: Any) -> Any:
        self.check(move)
        self.log.append(("move", {"seat": self.turn, "move": move}, None))
        self.numbers.append(int(move))
        self.turn = self.to_act = len(self.numbers) if len(self.numbers) < self.fmt.seats else -1

    def scores(self) -> Any:
        count = len(self.numbers)
        return [sum(self.numbers[seat] for seat in side if seat < count) for side in self.fmt.sides]

    def sheet(self) -> Any:
        return {"points": self.scores(), "lines": []}

    def result(self, stop: Any) -> Any:
        end_result = result(self.scores(), ranks(self.scores()), stop or "deals")
        self.log.append(("end", {"result": end_result}, None))
        return end_result

    def view(self, seat: Any) -> Any:
        turn = None if self.turn < 0 else self.turn
        view = {
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
            "said": self.numbers[:],
            "scores": self.scores(),
        }
        if seat < 0:
            view |= {"hands": [[]] * self.fmt.seats, "stock_cards": texts(self.stock)}
        return view


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
        deal = NumberDeal(fmt, log)
        deal.stock = list(deck)
        return deal

    def tell(self, fmt: Any, event: Any) -> Any:
        return Telling("")

    def cards(self, view: Any) -> Any:
        return list(view["stock_cards"])


GAME = Season()
