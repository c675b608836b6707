"""Advice for Paks: for each suit, the expected points of the paks and the value of the hands.

At the end, each side throws off as many paks of a suit as the side with the fewest has, and keeps
its most valuable ones (PAK-33). The more turns remain, the less certain are the numbers of paks.
Cards in hand score nothing at the end (PAK-32), but until then they can take cards or steal paks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Final

from engine.games.paks.deal import STEAL, PaksDeal
from engine.games.paks.force import PLAIN, WEIGHT, Group, Suit, strength
from engine.games.paks.groups import cheapest_group, groups_of_suit
from engine.games.paks.options import PaksRules
from engine.games.paks.plays import END_PLAY, PASS_PLAY, Play, Target, play_for
from engine.games.paks.scoring import FINAL
from engine.score_sheet import deal_points

if TYPE_CHECKING:
    from engine.game import Deal, Format

HAND_FACTOR: Final = 1.1
"""The value of a card in hand, as a multiple of the value of a card in a pak.

A card in hand cannot be stolen, and can still take others."""
FORCE_VALUE: Final = 0.5
"""The points that each point of force in a suit is worth, up to `MAX_USEFUL_FORCE`."""
MAX_USEFUL_FORCE: Final = 55.0
"""More force than this hardly steals more paks."""
FADING_TURNS: Final = 1.5
"""The time constant, in a seat's turns, by which cards in hand lose their value exponentially: this
many turns before the end, they still have 63 % of it."""
DOUBT: Final = 0.35
"""The uncertainty about the numbers of paks: this times the root of the turns left per seat."""
THEFT_RISK: Final = 0.5
"""The chance that a seat with enough force steals a pak, if it has enough turns."""
THEFT_TURNS: Final = 3.0
"""After this many turns of other seats, about two thirds of these thefts have been made."""
HORIZON: Final = 1000
"""More turns than any deal has, so that playouts continue to the end of the deal."""
MAX_WEIGHED: Final = 60
"""Maximum number of moves that are weighed: the first of the list, which begins with the cheapest
move for each target. Moves that play a whole suit are weighed, too."""
MAX_LISTED_CARDS: Final = 8
"""If the hand has more cards of a suit, a search finds the cheapest group without listing all."""

PakWorth = tuple[int, int]  # the final value and the price of a pak


class PaksAdviser:
    """`engine.game.Adviser` for Paks."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, PaksRules)  # noqa: S101 - the format is of Paks
        self.rules: PaksRules = rules
        self.horizon: int = HORIZON
        # With four hands, playouts vary so much that a few of them tell less than a first look.
        self.doubt: float = 10.0 if rules.seats == 2 else 4.0

    def weigh(self, deal: Deal) -> list[float]:
        """For each move, its `gain` in points; moves that are not weighed get -40."""
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
        """Make the move with the highest gain, of the cheapest and the largest for each target."""
        assert isinstance(deal, PaksDeal)  # noqa: S101 - the format is of Paks
        deal.make_move(PaksOutlook(self.rules, deal).best())

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The expected points of each side in all suits, including the value of its hands.

        A finished deal gets its score.
        """
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
    """The points that each side can expect in each suit of a deal in play."""

    def __init__(self, rules: PaksRules, deal: PaksDeal) -> None:
        self.rules: PaksRules = rules
        self.deal: PaksDeal = deal
        seats = rules.seats
        turns_left = [0] * seats
        turn = deal.turn
        for draw in range(len(deal.stock) - deal.stock_at):
            turns_left[(turn + 1 + draw) % seats] += 1
        # For each side, the share of the possible thefts of its paks for which there is time.
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
        self.suits: list[list[int]] = [[], [], [], []]  # by suit: the cards of the seat in turn
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
        power = [0.0] * sides  # by side: the greatest force of a hand that has turns left
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
        """Add the expected points of a side's paks to `values`: to this side and to a thief.

        `power`: the greatest force of each side's hands.
        """
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
        """The move with the highest gain, among the cheapest and the largest for each target."""
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
        """The force of all cards of a suit in the hand of the seat in turn (PAK-17)."""
        return strength(self.weights[self.deal.turn][suit])

    def paks(self, suit: int) -> list[Target]:
        """The board cards of a suit that the seat in turn can take."""
        max_force = self.max_force(suit)
        targets: list[Target] = []
        previous = -1
        for card in self.deal.board:
            if card & 3 == suit and card != previous and PLAIN[card >> 2] < max_force:
                previous = card
                targets.append(Target(suit, PLAIN[card >> 2], card))
        return targets

    def thefts(self, suit: int) -> list[Target]:
        """The thefts from opponents in a suit: single paks, and the cheapest n paks of an owner."""
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
            cheapest = Suit(cards).cheapest_group(target.price)
        else:
            payment = cheapest_group(groups_of_suit(cards), target.price)
            assert payment is not None  # noqa: S101 - the hand has the force for every target
            cheapest = payment.cards
        return [whole] if cheapest == whole else [cheapest, whole]

    def theft_gains(self) -> list[float]:
        """For each suit, the gain of the best theft after a pak in another suit (PAK-26)."""
        if not self._theft_gains:
            for suit in range(4):
                best_gain = 0.0
                for target in self.thefts(suit):
                    for group in self.groups(target):
                        best_gain = max(best_gain, self.lead_change(play_for(group, target)))
                self._theft_gains.append(best_gain)
        return self._theft_gains

    def gain(self, play: Play) -> float:
        """The `lead_change` of a play; for a pak, with those of the thefts that it allows."""
        change = self.lead_change(play)
        if play.card < 0:
            return change
        theft_gains = self.theft_gains()
        return change + sum(theft_gains) - theft_gains[play.cards[0] & 3]

    def lead_change(self, play: Play) -> float:
        """The points that a pak or a theft gains for this side in its suit, minus the mean gain of
        the other sides."""
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
    """The final value (PAK-36) and the price (PAK-10) of a pak."""
    final = 0
    price = 0
    for card in pak:
        final += FINAL[card >> 2]
        price += PLAIN[card >> 2]
    return final, price


def chance_to_last(lead: float, doubt: float) -> float:
    """The chance that a lead lasts to the end. `doubt`: the uncertainty, in units of `lead`."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, lead / doubt))))
