"""A game as another package provides it: each seat lays one of two cards; the higher scores."""

from typing import Any

from engine.cards import CODE, TEXT, CardGroup, pack, parse_cards, texts
from engine.declarations import Levels, Option, Variant
from engine.errors import IllegalMove
from engine.figures import Figure, moves_starting
from engine.game import Game, Telling
from engine.results import ranks, result
from engine.score_sheet import ScoreLine, added, listing


def lines(points: list[int]) -> list[ScoreLine]:
    """The score sheet, which has one line."""
    return [ScoreLine("high_card", "HIG-1", "the high card", points)]


class SixthDeal:
    """Each seat lays one of its two cards; then the next seat answers ``ok`` in the same turn."""

    def __init__(self, fmt: Any, log: Any) -> None:
        self.fmt = fmt
        self.log = log
        self.number = 0
        self.dealer = fmt.seats - 1
        self.turn = self.to_act = 0
        self.truncated = False
        self.phase = "lay"
        self.hands: list[list[int]] = [[] for _ in range(fmt.seats)]
        self.stock: list[int] = []
        self.laid: list[list[int]] = [[] for _ in range(fmt.seats)]
        self.points = [0] * fmt.seats
        self.totals = [0] * fmt.seats

    def start(self, deck: Any) -> None:
        self.turn = self.to_act = (self.dealer + 1) % self.fmt.seats
        self.stock = list(deck)
        for hand in self.hands:
            hand.extend(sorted((self.stock.pop(0), self.stock.pop(0))))
        secret = {seat: {"hand": texts(hand)} for seat, hand in enumerate(self.hands)}
        self.log.append(("deal", {"dealer": self.dealer}, secret))

    def next(self, deck: Any) -> Any:
        deal = SixthDeal(self.fmt, self.log)
        deal.number = self.number + 1
        deal.dealer = (self.dealer + 1) % self.fmt.seats
        deal.totals = self.totals[:]
        deal.start(deck)
        return deal

    def copy(self, log: Any) -> Any:
        deal = SixthDeal(self.fmt, log)
        deal.__dict__.update(self.__dict__, log=log, stock=self.stock[:], totals=self.totals[:])
        deal.hands = [hand[:] for hand in self.hands]
        deal.laid = [pile[:] for pile in self.laid]
        return deal

    def legal(self) -> Any:
        if self.phase == "answer":
            return ["ok"]
        return list(dict.fromkeys(texts(self.hands[self.turn])))

    def check(self, move: Any) -> None:
        if move not in self.legal():
            raise IllegalMove(move, "HIG-1", "lay a card of the hand, or say ok")

    def play(self, move: Any) -> Any:
        self.check(move)
        self.log.append(("move", {"seat": self.to_act, "move": move}, None))
        seats = self.fmt.seats
        if self.phase == "lay":
            self.hands[self.turn].remove(CODE[move])
            self.laid[self.turn].append(CODE[move])
            self.phase, self.to_act = "answer", (self.turn + 1) % seats
            return
        self.phase = "lay"
        self.turn = self.to_act = (self.turn + 1) % seats
        if all(self.laid):
            best = max(pile[0] for pile in self.laid)
            winners = [seat for seat in range(seats) if self.laid[seat][0] == best]
            self.points = [int(seat in winners) for seat in range(seats)]
            self.totals = added(self.totals, self.points)
            self.log.append(("score", {"scores": self.totals[:]}, None))
            self.turn = self.to_act = -1

    def scores(self) -> Any:
        return self.totals[:]

    def sheet(self) -> Any:
        return {"points": self.points[:], "lines": listing(lines(self.points))}

    def result(self, stop: Any) -> Any:
        if self.number + 1 < self.fmt.options["deals"] and not stop:
            return None
        last = self.number + 1 == self.fmt.options["deals"]
        reason = "deals" if last else stop
        end_result = result(self.totals, ranks(self.totals), reason)
        self.log.append(("end", {"result": end_result}, None))
        return end_result

    def view(self, seat: Any) -> Any:
        is_over = self.turn < 0
        view = {
            "game": "sixth",
            "format": str(self.fmt),
            "seat": None if seat < 0 else seat,
            "sides": [[n] for n in range(self.fmt.seats)],
            "deal": self.number,
            "dealer": self.dealer,
            "turn": None if is_over else self.turn,
            "to_act": None if is_over else self.to_act,
            "phase": self.phase,
            "hand": [] if seat < 0 else texts(self.hands[seat]),
            "hand_sizes": [len(hand) for hand in self.hands],
            "stock": len(self.stock),
            "laid": [texts(pile) for pile in self.laid],
            "scores": self.totals[:],
        }
        if seat < 0:
            view["hands"] = [texts(hand) for hand in self.hands]
            view["stock_cards"] = texts(self.stock)
        return view


class HighAdviser:
    """The game's adviser, which values a move by the rank of its card."""

    horizon = 4
    doubt = 1.0

    def weigh(self, deal: Any) -> Any:
        return [float(CODE[move] >> 2) if move in CODE else 0.0 for move in deal.legal()]

    def worth(self, deal: Any, before: Any) -> Any:
        return [float(new - old) for new, old in zip(deal.scores(), before, strict=True)]


class SixthGame(Game):
    name = "sixth"
    title = "Sixth Game"
    summary = "The higher card scores."
    document = "sixth.md"
    variants = (Variant("plain", "Sixth Game", "The only one.", ("1v1", "ffa3")),)
    figures = (
        Figure("high_card", "Deals won", "share"),
        Figure("kings", "Kings laid a deal", "deal", event="move", worth=moves_starting("K")),
    )
    lead_sd = (1.0, 1.5)
    levels = Levels(overlooks=(0.5, 0.4, 0.3, 0.2, 0.0), rating_steps=(50, 40, 30, 20, 10, 0))
    options = (Option("deals", 3, "Deals to play.", "HIG-2", low=1, high=9),)

    def pack(self, fmt: Any) -> Any:
        return pack(["X"]) + pack(["X15"])

    def first(self, fmt: Any, deck: Any, log: Any) -> Any:
        deal = SixthDeal(fmt, log)
        deal.start(deck)
        return deal

    def restore(self, fmt: Any, view: Any, rng: Any, log: Any) -> Any:
        deal = SixthDeal(fmt, log)
        deal.number, deal.dealer, deal.phase = view["deal"], view["dealer"], view["phase"]
        deal.turn = -1 if view["turn"] is None else view["turn"]
        deal.to_act = -1 if view["to_act"] is None else view["to_act"]
        deal.totals = list(view["scores"])
        deal.laid = [parse_cards(pile) for pile in view["laid"]]
        unseen = self.pack(fmt)
        for card in parse_cards(view["hand"]) + [card for pile in deal.laid for card in pile]:
            unseen.remove(card)
        rng.shuffle(unseen)
        for seat, size in enumerate(view["hand_sizes"]):
            is_own = seat == view["seat"]
            deal.hands[seat] = parse_cards(view["hand"]) if is_own else sorted(unseen[:size])
            if not is_own:
                del unseen[:size]
        deal.stock = unseen
        end_result = None if deal.turn >= 0 else result(deal.totals, ranks(deal.totals), "deals")
        return deal, end_result

    def adviser(self, fmt: Any) -> Any:
        return HighAdviser()

    def preview(self, view: Any) -> Any:
        return [CardGroup("laid", tuple(pile)) for pile in view["laid"]]

    def worth(self, view: Any, side: int) -> Any:
        return sum(13.0 - (CODE[card] >> 2) for card in view["hand"])

    def tell(self, fmt: Any, event: Any) -> Any:
        kind, data, _ = event
        return Telling(f"{kind} {data}", "HIG-1", tuple(c for c in TEXT if c == data.get("move")))

    def cards(self, view: Any) -> Any:
        return [
            card for pile in [*view["hands"], view["stock_cards"], *view["laid"]] for card in pile
        ]


GAME = SixthGame()
