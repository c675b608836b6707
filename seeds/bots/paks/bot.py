"""Plays Paks well: hoards strong cards for thefts, lays no more than pays, and unloads in time.

The suits are scored apart, so each is judged apart: what the paks in it will probably score after
the throw-off, what the others can be expected to steal of it, and what the cards kept in hand are
still good for. A turn is planned as a whole: one pak, and in every other suit the best theft, or
none. Cards in hand lose their worth towards the end of the deal, as there they count for nobody.
"""

import random
from bisect import bisect_right
from math import exp

from engine import Match

SUITS = "CDHS"
FINAL = {"A": 20, **dict.fromkeys("KQJT98", 10), **dict.fromkeys("765432", 5)}
"""What a card scores in a pak that is kept (PAK-36)."""
PLAIN = {"A": 20, **dict.fromkeys("KQJT", 10), **{str(pips): pips for pips in range(2, 10)}}
"""What a card counts in play (PAK-7)."""

IN_HAND = 1.1
"""Worth of a card in hand against one in a pak: it cannot be stolen, and it still takes."""
FORCE = 0.5
"""Worth of a point of force that a suit in hand has: thefts decide a deal, the late ones most."""
ENOUGH = 55
"""Force beyond this steals hardly anything more (5-5 is 55)."""
FADING = 1.5
"""Turns before the end at which cards in hand have lost most of their worth."""
DOUBT = 0.35
"""How far the numbers of paks may still move: times the root of the turns to come."""
RISK = 0.9
"""How often an opponent who holds the cards for a theft comes to make it: it needs a pak first."""
SAMPLES = 12
"""Hands dealt at random to learn what the opponents may hold."""
DRAWS = 1.5
"""Cards that an opponent will have drawn more when it comes to a theft."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        plan = Plan(view, self.random)
        if view["phase"] == "steal":
            return plan.best_theft(legal)
        return plan.best_pak(legal)


class Plan:
    """Values the moves of one decision."""

    def __init__(self, view, rng):
        self.view = view
        self.random = rng
        self.seats = len(view["hand_sizes"])
        self.side_of = {seat: i for i, side in enumerate(view["sides"]) for seat in side}
        self.side = self.side_of[view["seat"]]
        self.count_turns()
        self.hand = {suit: [c[0] for c in view["hand"] if c[1] == suit] for suit in SUITS}
        self.forces = self.guess_forces() if self.threats else {}
        self.rows = {suit: self.paks_in(suit) for suit in SUITS}
        self.now = {suit: self.value(suit, self.rows[suit], self.hand[suit]) for suit in SUITS}

    def count_turns(self):
        """What the turns to come are worth: mine, and those of the opponents.

        Every turn draws one card, so the stock tells who will have how many.
        """
        stock, me = self.view["stock"], self.view["seat"]
        left = [0] * self.seats
        for draw in range(stock):
            left[(me + 1 + draw) % self.seats] += 1
        lasting = 1.0 - exp(-left[me] / FADING)
        self.in_hand, self.force = IN_HAND * lasting, FORCE * lasting
        self.threats = sum(n for seat, n in enumerate(left) if self.side_of[seat] != self.side)
        self.risk = RISK * (1.0 - exp(-self.threats / 2))
        self.doubt = 0.25 + DOUBT * (stock / self.seats) ** 0.5 if stock else 0.02

    def paks_in(self, suit):
        """The paks of a suit by side, each as (final value, price)."""
        paks = self.view["paks"]
        return [
            [worth(pak) for seat in side for pak in paks[seat] if pak[0][1] == suit]
            for side in self.view["sides"]
        ]

    # ── what the others hold ─────────────────────────────────────────────────────────────────────

    def unseen(self):
        """The cards that may be in other hands or in the stock."""
        view = self.view
        left = dict.fromkeys((r + s for r in PLAIN for s in SUITS), 1 if self.seats == 2 else 2)
        piles = [view["hand"], view["board"], *(pak for row in view["paks"] for pak in row)]
        piles += [pile for seat, pile in enumerate(view["shown"]) if seat != view["seat"]]
        for pile in piles:
            for card in pile:
                left[card] -= 1
        return [card for card, number in left.items() for _ in range(number)]

    def guess_forces(self):
        """By suit: the greatest force of an opponent in each of some random deals, ascending."""
        view, unseen = self.view, self.unseen()
        found = {suit: [] for suit in SUITS}
        opponents = [seat for seat in range(self.seats) if self.side_of[seat] != self.side]
        for _ in range(SAMPLES):
            best = dict.fromkeys(SUITS, 0)
            for seat in opponents:
                hidden = view["hand_sizes"][seat] - len(view["shown"][seat])
                drawn = int(DRAWS + self.random.random())
                more = self.random.sample(unseen, min(hidden + drawn, len(unseen)))
                held = {suit: [] for suit in SUITS}
                for card in view["shown"][seat] + more:
                    held[card[1]].append(card[0])
                for suit, ranks in held.items():
                    best[suit] = max(best[suit], force(ranks))
            for suit in SUITS:
                found[suit].append(best[suit])
        return {suit: sorted(forces) for suit, forces in found.items()}

    def danger(self, suit, price):
        """The share of the random deals in which an opponent can pay for such a pak."""
        if not self.threats:
            return 0.0
        return 1.0 - bisect_right(self.forces[suit], price) / SAMPLES

    # ── the worth of a suit ──────────────────────────────────────────────────────────────────────

    def value(self, suit, rows, hand):
        """A suit with these paks by side and these ranks in hand, in points ahead of the others."""
        total = 0.0
        for side, row in enumerate(rows):
            lead = len(row) - min(len(other) for at, other in enumerate(rows) if at != side)
            kept = 0.0
            # The throw-off leaves a side as many paks as it has more than the side with fewest, its
            # dearest (PAK-33); the nearer the end, the surer it is which ones these are.
            for place, (final, price) in enumerate(sorted(row, reverse=True), 1):
                chance = sure(lead - place + 0.5, self.doubt)
                kept += final * chance
                if side == self.side:
                    # A stolen pak is missing twice: among the points, and in the throw-off.
                    kept -= self.risk * self.danger(suit, price) * final * (0.5 + chance)
            total += kept if side == self.side else -kept / (len(rows) - 1)
        keep = self.in_hand * sum(FINAL[rank] for rank in hand)
        return total + keep + self.force * min(force(hand), ENOUGH)

    def gain(self, move):
        """(suit, what the move gains in it)."""
        kind, _, rest = move.partition(":")
        cards, _, target = rest.partition(">")
        pak = cards.split("+")
        suit = pak[0][1]
        hand = self.hand[suit][:]
        for card in pak:
            hand.remove(card[0])
        rows = [row[:] for row in self.rows[suit]]
        if kind == "pak":
            pak.append(target)
        else:
            owner, _, numbers = target.partition(":")
            for number in numbers.split("+"):
                stolen = self.view["paks"][int(owner)][int(number) - 1]
                rows[self.side_of[int(owner)]].remove(worth(stolen))
                pak += stolen
        rows[self.side].append(worth(pak))
        return suit, self.value(suit, rows, hand) - self.now[suit]

    # ── the turn ─────────────────────────────────────────────────────────────────────────────────

    def best_theft(self, legal):
        """The theft that gains most; `end` if none gains."""
        gains = [(self.gain(move)[1], move) for move in self.with_whole_suits(legal)]
        gain, move = max(gains, default=(0.0, "end"))
        return move if gain > 0 else "end"

    def best_pak(self, legal):
        """The pak that gains most together with the thefts in other suits that it allows."""
        paks = {}
        for move in self.with_whole_suits(legal):
            suit, gain = self.gain(move)
            paks[suit] = max(paks.get(suit, (gain, move)), (gain, move))
        thefts = self.thefts(paks)
        plans = [
            (gain + sum(more for other, more in thefts.items() if other != suit), move)
            for suit, (gain, move) in paks.items()
        ]
        if "end" in legal:
            plans.append((0.0, "end"))
        return max(plans)[1]

    def thefts(self, paks):
        """The most that a theft gains, by suit; two paks of different suits show all thefts."""
        match = Match.from_view(self.view, self.random)
        best = {}
        for _, move in list(paks.values())[:2]:
            after = match.copy()
            after.step(move)
            for theft in self.with_whole_suits(after.legal_moves()):
                suit, gain = self.gain(theft)
                best[suit] = max(best.get(suit, 0.0), gain)
        return best

    def with_whole_suits(self, legal):
        """Paks and thefts, and each target with all cards of the suit.

        A long list is cut off at the large groups, and those are what the last turn may want.
        """
        moves = {move: None for move in legal if ">" in move}
        for move in list(moves):
            head, _, target = move.partition(">")
            kind, _, cards = head.partition(":")
            whole = [card for card in self.view["hand"] if card[1] == cards[1]]
            moves[f"{kind}:{'+'.join(whole)}>{target}"] = None
        return list(moves)


def worth(pak):
    """(final value, price of a theft) of a pak."""
    return sum([FINAL[card[0]] for card in pak]), sum([PLAIN[card[0]] for card in pak])


def force(ranks):
    """What cards of one suit count when played: the upper half of the 2s to 5s tenfold (PAK-9)."""
    lows = sorted([PLAIN[rank] for rank in ranks if rank in "2345"])
    return sum([PLAIN[rank] for rank in ranks]) + 9 * sum(lows[len(lows) - len(lows) // 2 :])


def sure(lead, doubt):
    """The chance that a lead is more than nothing in the end."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, lead / doubt))))
