"""Advice for Paks: for each suit, the score that paks should bring and the value of the hands.

In the throw-off (PAK-33) each side loses as many paks of a suit as the side with the fewest has; it
keeps its most valuable ones. The more turns remain, the less certain the numbers of paks are. Cards
in hand score nothing at the end (PAK-32); their value is that they can take or steal before.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Final

from engine.games.paks.deal import STEAL, PaksDeal
from engine.games.paks.force import PLAIN, WEIGHT, Group, Suit, strength
from engine.games.paks.groups import lean, of_suit
from engine.games.paks.options import PaksRules
from engine.games.paks.plays import END_PLAY, PASS_PLAY, Play, Target, play_for
from engine.games.paks.scoring import FINAL
from engine.score_sheet import deal_points

if TYPE_CHECKING:
    from engine.game import Deal, Format

HAND_FACTOR: Final = 1.1
"""Value of a card in hand relative to one in a pak: it cannot be stolen, and can still take."""
FORCE_VALUE: Final = 0.5
"""Value of a point of force in a suit, up to `MAX_USEFUL_FORCE`: more force hardly steals more."""
MAX_USEFUL_FORCE: Final = 55.0
FADING_TURNS: Final = 1.5
"""Time constant, in own turns, of the exponential by which cards in hand lose their value: this
many turns before the end they still have 63 % of it."""
DOUBT: Final = 0.35
"""Uncertainty about the numbers of paks: this times the root of the turns to come."""
THEFT_RISK: Final = 0.5
"""The chance that a seat that can pay for a theft makes it, given enough turns."""
THEFT_TURNS: Final = 3.0
"""Turns of the others after which two thirds of those thefts have been made."""
HORIZON: Final = 1000
"""More turns than any deal has, so that playouts continue to the end of the deal."""
MAX_WEIGHED: Final = 60
"""Maximum moves of a list that are weighed, besides those with a whole suit. A list begins with the
cheapest move for each target (section 4)."""
MAX_LISTED_CARDS: Final = 8
"""Maximum cards of a suit for listing all groups; with more, only the cheapest is searched for."""

PakWorth = tuple[int, int]  # a pak: final value, price


class PaksAdviser:
    """`engine.game.Adviser` for Paks."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, PaksRules)  # noqa: S101 - the format is of Paks
        self.rules: PaksRules = rules
        self.horizon: int = HORIZON
        # With four hands the results of playouts vary so much that few playouts tell less than a
        # first look.
        self.doubt: float = 10.0 if rules.seats == 2 else 4.0

    def weigh(self, deal: Deal) -> list[float]:
        """How much each move improves its suit for this side compared with the others; a pak
        includes the thefts that it allows."""
        assert isinstance(deal, PaksDeal)  # noqa: S101 - the format is of Paks
        outlook = PaksOutlook(self.rules, deal)
        weights: list[float] = []
        for index, play in enumerate(deal._legal()):  # noqa: SLF001 - the moves just listed
            if not play.cards:
                weights.append(0.0)
            elif index < MAX_WEIGHED or len(play.cards) == len(outlook.suits[play.cards[0] & 3]):
                weights.append(outlook.gain(play))
            else:
                weights.append(-40.0)
        return weights

    def reply(self, deal: Deal) -> None:
        """Make the best-looking move among the cheapest and the largest for each target."""
        assert isinstance(deal, PaksDeal)  # noqa: S101 - the format is of Paks
        deal.make_move(PaksOutlook(self.rules, deal).best())

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The expected points of all suits, hands included."""
        if deal.to_act < 0:
            return deal_points(deal.scores(), before)
        assert isinstance(deal, PaksDeal)  # noqa: S101 - the format is of Paks
        outlook = PaksOutlook(self.rules, deal)
        points_by_side = [0.0] * len(self.rules.sides)
        for suit in range(4):
            for side, points in enumerate(outlook.suit_values[suit]):
                points_by_side[side] += points
        return points_by_side


class PaksOutlook:
    """A deal in play: what each side can expect in each suit."""

    def __init__(self, rules: PaksRules, deal: PaksDeal) -> None:
        self.rules: PaksRules = rules
        self.deal: PaksDeal = deal
        seats = rules.seats
        turns_left = [0] * seats
        turn = deal.turn
        for draw in range(len(deal.stock) - deal.stock_at):
            turns_left[(turn + 1 + draw) % seats] += 1
        # For each side, the share of possible thefts from it that will be made in time.
        self.threats: list[float] = []
        for side in range(len(rules.sides)):
            turns = sum(
                [
                    seat_turns
                    for seat, seat_turns in enumerate(turns_left)
                    if rules.side_of[seat] != side
                ]
            )
            self.threats.append(1.0 - exp(-turns / THEFT_TURNS))
        self.hand_shares: list[float] = [1.0 - exp(-turns / FADING_TURNS) for turns in turns_left]
        self.doubt: float = (
            0.25 + DOUBT * sqrt(sum(turns_left) / seats) if sum(turns_left) else 0.02
        )
        sides = len(rules.sides)
        self.weights: list[list[int]] = [[0] * 4 for _ in range(seats)]
        self.final_values: list[list[int]] = [[0] * 4 for _ in range(seats)]
        for seat, hand in enumerate(deal.hands):
            for card in hand:
                self.weights[seat][card & 3] += WEIGHT[card]
                self.final_values[seat][card & 3] += FINAL[card >> 2]
        self.suits: list[list[int]] = [[], [], [], []]  # the cards of the seat in turn
        for card in deal.hands[turn]:
            self.suits[card & 3].append(card)
        self._theft_gains: list[float] = []  # for each suit, the gain of the best theft
        self.paks_by_side: list[list[list[PakWorth]]] = [
            [[] for _ in range(sides)] for _ in range(4)
        ]
        for seat, row in enumerate(deal.paks):
            side = rules.side_of[seat]
            for pak in row:
                self.paks_by_side[pak[0] & 3][side].append(pak_worth(pak))
        self.suit_values: list[list[float]] = [
            self.value(suit, self.paks_by_side[suit]) for suit in range(4)
        ]

    def value(self, suit: int, paks_by_side: list[list[PakWorth]]) -> list[float]:
        """The value of a suit to each side, given these paks and the present hands."""
        rules = self.rules
        sides = len(paks_by_side)
        values = [0.0] * sides
        power = [0.0] * sides  # the greatest force of a side's hands that have turns left
        for seat, weights in enumerate(self.weights):
            hand_share = self.hand_shares[seat]
            force = float(strength(weights[suit]))
            side = rules.side_of[seat]
            values[side] += hand_share * HAND_FACTOR * self.final_values[seat][suit]
            values[side] += hand_share * FORCE_VALUE * min(force, MAX_USEFUL_FORCE)
            if hand_share > 0.0 and force > power[side]:
                power[side] = force
        for side, row in enumerate(paks_by_side):
            if row:
                self._add_paks(side, paks_by_side, power, values)
        return values

    def _add_paks(
        self, side: int, paks_by_side: list[list[PakWorth]], power: list[float], values: list[float]
    ) -> None:
        """Add the expected points of one side's paks, to that side and to a possible thief."""
        paks = sorted(paks_by_side[side], reverse=True)
        fewest = min([len(other) for index, other in enumerate(paks_by_side) if index != side])
        thief, max_force = -1, 0.0
        for other, force in enumerate(power):
            if other != side and force > max_force:
                thief, max_force = other, force
        risk = THEFT_RISK * self.threats[side]
        for place, (final, price) in enumerate(paks):
            chance = chance_to_last(len(paks) - fewest - place - 0.5, self.doubt)
            stolen = risk * chance_to_last(max_force - price + 4.0, 8.0) if thief >= 0 else 0.0
            values[side] += final * (chance - stolen * (0.25 + chance))
            if thief >= 0:
                values[thief] += 0.4 * stolen * final

    def best(self) -> Play:
        """The move that looks best."""
        deal = self.deal
        stealing = deal.phase == STEAL
        best_gain = -1e9 if deal.compulsory and not stealing else 0.0
        best_play = END_PLAY if stealing or not deal.compulsory else PASS_PLAY
        for suit in range(4):
            if stealing and suit in deal.used:
                continue
            for target in self.thefts(suit) if stealing else self.paks(suit):
                for group in self.groups(target):
                    play = play_for(group, target)
                    gain = self.gain(play)
                    if gain > best_gain:
                        best_gain, best_play = gain, play
        return best_play

    def max_force(self, suit: int) -> int:
        """The force of all cards of a suit together (PAK-17)."""
        return strength(self.weights[self.deal.turn][suit])

    def paks(self, suit: int) -> list[Target]:
        """The board cards of a suit that can be taken."""
        max_force = self.max_force(suit)
        targets: list[Target] = []
        previous = -1
        for card in self.deal.board:
            if card & 3 == suit and card != previous and PLAIN[card >> 2] < max_force:
                previous = card
                targets.append(Target(suit, PLAIN[card >> 2], card))
        return targets

    def thefts(self, suit: int) -> list[Target]:
        """The possible thefts in a suit: single paks, and several of one owner, the cheapest
        first."""
        deal = self.deal
        max_force = self.max_force(suit)
        side_of = self.rules.side_of
        targets: list[Target] = []
        for owner, row in enumerate(deal.paks if max_force else []):
            if side_of[owner] == side_of[deal.turn]:
                continue
            priced_paks = [
                (pak_worth(pak)[1], index) for index, pak in enumerate(row) if pak[0] & 3 == suit
            ]
            priced_paks.sort()
            total_price = 0
            chosen: list[int] = []
            for price, index in priced_paks:
                if price >= max_force:
                    break
                targets.append(Target(suit, price, -1, owner, (index,)))
                total_price += price
                chosen.append(index)
                if len(chosen) > 1 and total_price < max_force:
                    targets.append(Target(suit, total_price, -1, owner, tuple(sorted(chosen))))
        return targets

    def groups(self, target: Target) -> list[Group]:
        """The cheapest and the largest group in the hand for a target."""
        cards = self.suits[target.suit]
        whole = tuple(cards)
        if len(cards) > MAX_LISTED_CARDS:
            cheapest = Suit(cards).lean(target.price)
        else:
            payment = lean(of_suit(cards), target.price)
            assert payment is not None  # noqa: S101 - only what can be paid is a target
            cheapest = payment.cards
        return [whole] if cheapest == whole else [cheapest, whole]

    def theft_gains(self) -> list[float]:
        """For each suit, the gain of the best theft after taking a pak in another suit (PAK-26)."""
        if not self._theft_gains:
            for suit in range(4):
                best_gain = 0.0
                for target in self.thefts(suit):
                    for group in self.groups(target):
                        best_gain = max(best_gain, self.lead_change(play_for(group, target)))
                self._theft_gains.append(best_gain)
        return self._theft_gains

    def gain(self, play: Play) -> float:
        """The `lead_change` of a play; a pak includes the thefts that it allows."""
        change = self.lead_change(play)
        if play.card < 0:
            return change
        theft_gains = self.theft_gains()
        return change + sum(theft_gains) - theft_gains[play.cards[0] & 3]

    def lead_change(self, play: Play) -> float:
        """How much a pak or a theft improves its suit for this side, minus the mean for the
        others."""
        deal, seat = self.deal, self.deal.turn
        suit = play.cards[0] & 3
        side = self.rules.side_of[seat]
        paks_by_side = [row[:] for row in self.paks_by_side[suit]]
        cards = list(play.cards)
        if play.card >= 0:
            cards.append(play.card)
        else:
            owner = self.rules.side_of[play.owner]
            for index in play.paks:
                pak = deal.paks[play.owner][index]
                paks_by_side[owner].remove(pak_worth(pak))
                cards += pak
        paks_by_side[side].append(pak_worth(cards))
        weight, final = self.weights[seat][suit], self.final_values[seat][suit]
        for card in play.cards:
            self.weights[seat][suit] -= WEIGHT[card]
            self.final_values[seat][suit] -= FINAL[card >> 2]
        new_values = self.value(suit, paks_by_side)
        self.weights[seat][suit], self.final_values[seat][suit] = weight, final
        old_values = self.suit_values[suit]
        changes = [new_values[index] - old_values[index] for index in range(len(new_values))]
        own_change = changes.pop(side)
        return own_change - sum(changes) / len(changes)


def pak_worth(pak: Sequence[int]) -> PakWorth:
    """Final value and price of a pak (PAK-36, PAK-10)."""
    final = 0
    price = 0
    for card in pak:
        final += FINAL[card >> 2]
        price += PLAIN[card >> 2]
    return final, price


def chance_to_last(lead: float, doubt: float) -> float:
    """The chance that a lead lasts to the end, given its uncertainty."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, lead / doubt))))
