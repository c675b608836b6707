"""Plays Paks well: saves strong cards for thefts, wastes none, and empties its hand in time.

Each suit is scored separately (PAK-33), so the bot values each suit separately: the points that its
paks will probably score after the throw-off, minus what opponents will probably steal, plus the
value of the cards in hand. It plans a whole turn: one pak, and the best theft in each other suit if
that gains anything. Towards the end of the deal, cards in hand lose their value, because cards left
in a hand score nothing (PAK-32).
"""

import random
from bisect import bisect_right
from math import exp

from engine import Match

SUITS = "CDHS"
FINAL = {"A": 20, **dict.fromkeys("KQJT98", 10), **dict.fromkeys("765432", 5)}
"""The final value of each rank: its points in a pak that its side keeps (PAK-36)."""
PLAIN = {"A": 20, **dict.fromkeys("KQJT", 10), **{str(pips): pips for pips in range(2, 10)}}
"""The plain value of each rank in play (PAK-7)."""

HAND_FACTOR = 1.1
"""Value of a card in hand relative to one in a pak: it cannot be stolen, and it can still take."""
FORCE_VALUE = 0.5
"""Value of a point of force in hand. Thefts decide a deal, most of all the late ones."""
MAX_USEFUL_FORCE = 55
"""Force beyond that of a pair of fives (PAK-8) hardly steals anything more."""
FADING_TURNS = 1.5
"""Time constant, in own turns, of the exponential by which cards in hand lose their value: this
many turns before the end they still have 63 % of it."""
DOUBT = 0.35
"""Uncertainty about the final numbers of paks: this times the square root of the rounds left."""
THEFT_RISK = 0.9
"""The probability that an opponent who holds the cards for a theft gets to make it: a theft needs a
pak in the same turn (PAK-24). It shrinks as the opponents run out of turns."""
SAMPLES = 12
"""Number of random deals that estimate the force in the opponents' hands."""
DRAWS = 1.5
"""Mean number of cards that an opponent draws before its next theft."""


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
    """The values of suits and moves in one decision."""

    def __init__(self, view, rng):
        self.view = view
        self.random = rng
        self.seats = len(view["hand_sizes"])
        self.side_of = {seat: i for i, side in enumerate(view["sides"]) for seat in side}
        self.side = self.side_of[view["seat"]]
        self.set_weights()
        self.hand = {suit: [c[0] for c in view["hand"] if c[1] == suit] for suit in SUITS}
        self.opponent_forces = self.sample_forces() if self.opponent_turns else {}
        self.paks = {suit: self.paks_by_side(suit) for suit in SUITS}
        self.suit_values = {
            suit: self.value(suit, self.paks[suit], self.hand[suit]) for suit in SUITS
        }

    def set_weights(self):
        """Set the weights that depend on the number of turns left.

        Every turn draws one card, so the stock shows how many turns each seat has left.
        """
        stock, seat = self.view["stock"], self.view["seat"]
        turns = [0] * self.seats
        for draw in range(stock):
            turns[(seat + 1 + draw) % self.seats] += 1
        remaining = 1.0 - exp(-turns[seat] / FADING_TURNS)
        self.hand_factor, self.force_value = HAND_FACTOR * remaining, FORCE_VALUE * remaining
        self.opponent_turns = sum(n for i, n in enumerate(turns) if self.side_of[i] != self.side)
        self.theft_risk = THEFT_RISK * (1.0 - exp(-self.opponent_turns / 2))
        self.doubt = 0.25 + DOUBT * (stock / self.seats) ** 0.5 if stock else 0.02

    def paks_by_side(self, suit):
        """For each side, its paks of a suit, each as (final value, price)."""
        paks = self.view["paks"]
        return [
            [final_and_price(pak) for seat in side for pak in paks[seat] if pak[0][1] == suit]
            for side in self.view["sides"]
        ]

    # ── the opponents' hands ─────────────────────────────────────────────────────────────────────

    def unseen(self):
        """The cards that may be in other hands or in the stock."""
        view = self.view
        counts = dict.fromkeys((r + s for r in PLAIN for s in SUITS), 1 if self.seats == 2 else 2)
        known = [view["hand"], view["board"], *(pak for row in view["paks"] for pak in row)]
        known += [cards for seat, cards in enumerate(view["shown"]) if seat != view["seat"]]
        for cards in known:
            for card in cards:
                counts[card] -= 1
        return [card for card, count in counts.items() for _ in range(count)]

    def sample_forces(self):
        """For each suit, the greatest force of any opponent in each random deal, ascending."""
        view, unseen = self.view, self.unseen()
        forces = {suit: [] for suit in SUITS}
        opponents = [seat for seat in range(self.seats) if self.side_of[seat] != self.side]
        for _ in range(SAMPLES):
            greatest = dict.fromkeys(SUITS, 0)
            for seat in opponents:
                hidden = view["hand_sizes"][seat] - len(view["shown"][seat])
                draws = int(DRAWS + self.random.random())  # rounded up or down at random
                sample = self.random.sample(unseen, min(hidden + draws, len(unseen)))
                hand = {suit: [] for suit in SUITS}
                for card in view["shown"][seat] + sample:
                    hand[card[1]].append(card[0])
                for suit, ranks in hand.items():
                    greatest[suit] = max(greatest[suit], force(ranks))
            for suit in SUITS:
                forces[suit].append(greatest[suit])
        return {suit: sorted(sampled) for suit, sampled in forces.items()}

    def danger(self, suit, price):
        """The share of the random deals in which an opponent can pay for a pak of this price."""
        if not self.opponent_turns:
            return 0.0
        return 1.0 - bisect_right(self.opponent_forces[suit], price) / SAMPLES

    # ── the value of a suit ──────────────────────────────────────────────────────────────────────

    def value(self, suit, paks_by_side, hand):
        """The value of a suit with these paks and with these ranks in hand.

        It is measured in points by which the own side is ahead of the others' mean.
        """
        total = 0.0
        for side, paks in enumerate(paks_by_side):
            others = [len(other) for i, other in enumerate(paks_by_side) if i != side]
            lead = len(paks) - min(others)
            points = 0.0
            # In the throw-off each side gives up as many paks as the side with fewest has, and
            # keeps its most valuable ones (PAK-33). Towards the end of the deal it becomes more
            # certain which ones those are.
            for place, (final, price) in enumerate(sorted(paks, reverse=True), 1):
                chance = chance_to_last(lead - place + 0.5, self.doubt)
                points += final * chance
                if side == self.side:
                    # A stolen pak costs its points, and it is missing in the throw-off too.
                    points -= self.theft_risk * self.danger(suit, price) * final * (0.5 + chance)
            total += points if side == self.side else -points / (len(paks_by_side) - 1)
        hand_value = self.hand_factor * sum(FINAL[rank] for rank in hand)
        return total + hand_value + self.force_value * min(force(hand), MAX_USEFUL_FORCE)

    def gain(self, move):
        """(suit, increase of the suit's value by the move)."""
        kind, _, rest = move.partition(":")
        cards, _, target = rest.partition(">")
        pak = cards.split("+")
        suit = pak[0][1]
        hand = self.hand[suit][:]
        for card in pak:
            hand.remove(card[0])
        paks_by_side = [paks[:] for paks in self.paks[suit]]
        if kind == "pak":
            pak.append(target)
        else:
            owner, _, numbers = target.partition(":")
            for number in numbers.split("+"):
                stolen = self.view["paks"][int(owner)][int(number) - 1]
                paks_by_side[self.side_of[int(owner)]].remove(final_and_price(stolen))
                pak += stolen
        paks_by_side[self.side].append(final_and_price(pak))
        return suit, self.value(suit, paks_by_side, hand) - self.suit_values[suit]

    # ── the turn ─────────────────────────────────────────────────────────────────────────────────

    def best_theft(self, legal):
        """The theft that gains most; `end` if none gains."""
        gains = [(self.gain(move)[1], move) for move in self.with_whole_suits(legal)]
        gain, move = max(gains, default=(0.0, "end"))
        return move if gain > 0 else "end"

    def best_pak(self, legal):
        """The pak that gains most together with the thefts that it allows in other suits."""
        best_paks = {}  # for each suit: (gain, move)
        for move in self.with_whole_suits(legal):
            suit, gain = self.gain(move)
            best_paks[suit] = max(best_paks.get(suit, (gain, move)), (gain, move))
        theft_gains = self.theft_gains(best_paks)
        plans = [
            (gain + sum(theft for other, theft in theft_gains.items() if other != suit), move)
            for suit, (gain, move) in best_paks.items()
        ]
        if "end" in legal:
            plans.append((0.0, "end"))
        return max(plans)[1]

    def theft_gains(self, best_paks):
        """For each suit, the gain of its best theft if that is positive.

        A theft must be in another suit than the turn's pak (PAK-26), so trying two paks of
        different suits shows the thefts of all suits.
        """
        match = Match.from_view(self.view, self.random)
        gains = {}
        for _, move in list(best_paks.values())[:2]:
            after = match.copy()
            after.step(move)
            for theft in self.with_whole_suits(after.legal_moves()):
                suit, gain = self.gain(theft)
                gains[suit] = max(gains.get(suit, 0.0), gain)
        return gains

    def with_whole_suits(self, legal):
        """The listed paks and thefts, and for each target the move with all cards of its suit.

        Long lists are cut off before the large groups, which the last turns often need.
        """
        moves = {move: None for move in legal if ">" in move}
        for move in list(moves):
            head, _, target = move.partition(">")
            kind, _, cards = head.partition(":")
            whole_suit = [card for card in self.view["hand"] if card[1] == cards[1]]
            moves[f"{kind}:{'+'.join(whole_suit)}>{target}"] = None
        return list(moves)


def final_and_price(pak):
    """(final value, price of a theft) of a pak."""
    return sum([FINAL[card[0]] for card in pak]), sum([PLAIN[card[0]] for card in pak])


def force(ranks):
    """The force of cards of one suit played together: the upper half of the 2s to 5s count tenfold
    (PAK-9)."""
    lows = sorted([PLAIN[rank] for rank in ranks if rank in "2345"])
    return sum([PLAIN[rank] for rank in ranks]) + 9 * sum(lows[len(lows) - len(lows) // 2 :])


def chance_to_last(lead, doubt):
    """The probability that a lead is still positive at the end of the deal."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, lead / doubt))))
