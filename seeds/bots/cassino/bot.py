"""Plays Cassino well: counts cards, builds, and guards against sweeps.

The value of a move is its own gain, minus what the opponents can be expected to take from the table
that it leaves, plus what a partner and this hand can take later. All captured cards are open, so
the bot knows which cards are unseen, and from them the chance that somebody holds a rank. With two
players nothing is hidden in the last hands, so the bot searches these to the end of the deal.
"""

import random
from math import comb

from engine import Format, Match

RANKS = "A23456789TJQK"
CARD = 0.12
"""Value of one more card towards the most cards (CAS-29)."""
SPADE = 0.15
"""Value of one more spade towards the most spades (CAS-29)."""
NEXT_TURN = 0.75
"""Value of the best capture in the own next turn, as a share of the same capture now."""
SECOND_CARD = 0.25
"""Like `NEXT_TURN`, for the capture of the second-best card in the hand."""
SPOILT = 0.7
"""Share of the later captures' value that another seat's capture takes away."""
CANDIDATES = 14
"""Maximum number of captures whose consequences are estimated: the largest immediate gains."""
MAX_NODES = 3000
"""Maximum number of positions in one search of the last hands."""
MAX_SEARCH_CARDS = 8
"""Maximum number of cards in both hands for this search."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.format = Format.parse(info["format"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        match = Match.from_view(view, self.random)
        if "out" in legal and self.claim_wins(match):
            return "out"
        legal = [move for move in legal if move != "out"]
        if view["stock"] == 0 and len(view["hand_sizes"]) == 2:
            move = self.search_end(match, view)
            if move is not None:
                return move
        return Judge(self.format, view).best_move(match, legal)

    def claim_wins(self, match):
        """Whether claiming the win is right (CAS-36)."""
        seat, after = match.turn, match.copy()
        after.play("out")
        return after.result["ranks"][after.format.side(seat)] == 1

    def search_end(self, match, view):
        """The best move by a search to the end of the deal; None if it would take too long."""
        if sum(view["hand_sizes"]) > MAX_SEARCH_CARDS:
            return None
        search = EndSearch(view["seat"])
        for width in (4, 3, 2):
            search.nodes_left, search.width = MAX_NODES, width
            try:
                return search.solve(match, -1e9, 1e9)[1]
            except TooLongError:
                continue
        return None


class TooLongError(Exception):
    """The search has visited its maximum number of positions."""


class EndSearch:
    """Alpha-beta search to the end of a two-player deal whose cards are all known."""

    def __init__(self, seat):
        self.seat = seat
        self.nodes_left = MAX_NODES
        self.width = 4

    def solve(self, match, alpha, beta):
        """(lead of the searching seat at the end of the deal, best move)."""
        own_turn = match.turn == self.seat
        best = None
        for move in self.moves(match):
            self.nodes_left -= 1
            if self.nodes_left < 0:
                raise TooLongError
            after = match.copy()
            after.step(move)
            if after.turn is None:
                value = after.scores[self.seat] - after.scores[1 - self.seat]
            else:
                value = self.solve(after, alpha, beta)[0]
            if best is None or (value > best[0] if own_turn else value < best[0]):
                best = (value, move)
            if own_turn:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best

    def moves(self, match):
        """The first `width` captures of each card, largest first; then all other moves.

        The list of moves names a capture before those that take only some of its items (CAS-46).
        """
        captures, others, counts = [], [], {}
        for move in match.legal_moves():
            if move == "out":
                continue
            card, is_capture, _ = move.partition("x")
            if not is_capture:
                others.append(move)
                continue
            counts[card] = counts.get(card, 0) + 1
            if counts[card] <= self.width:
                captures.append(move)
        captures.sort(key=len, reverse=True)
        return captures + others


class Judge:
    """The values of the moves in one decision."""

    def __init__(self, fmt, view):
        options = fmt.options
        self.view = view
        self.seat = view["seat"]
        self.seats = len(view["hand_sizes"])
        self.side = next(i for i, side in enumerate(view["sides"]) if self.seat in side)
        royal = fmt.variant.startswith("royal")
        self.numbers = {rank: n for n, rank in enumerate(RANKS, 1) if n <= 10 or royal}
        self.ace_high = bool(options.get("ace_high"))
        self.sweep_points = 1.0 if options["sweeps"] else 0.0
        self.points = self.card_points(fmt)
        self.count_unseen()
        self.capture_values = {}

    def card_points(self, fmt):
        """The value of each card to the side that captures it."""
        piles = self.view["captured"]
        card_value = 0.0 if is_decided([len(pile) for pile in piles], 52) else CARD
        spades = [sum(card[1] == "S" for card in pile) for pile in piles]
        spade_value = 0.0 if is_decided(spades, 13) else SPADE
        points = dict.fromkeys((r + s for r in RANKS for s in "CDHS"), card_value)
        for rank in RANKS:
            points[rank + "S"] += 1.0 if "spade" in fmt.variant else spade_value
        for card in ("AC", "AD", "AH", "AS"):
            points[card] += 1.0
        points["TD"] += 2.0
        points["2S"] += 1.0
        if "spade" in fmt.variant:
            points["JS"] += 1.0
        return points

    def count_unseen(self):
        """Count the hidden cards of each rank, and compute their mean value."""
        view = self.view
        seen = set(view["hand"])
        for pile in view["captured"]:
            seen.update(pile)
        for item in view["table"]:
            seen.update(item["cards"])
        hidden = [card for card in self.points if card not in seen]
        self.hidden = len(hidden)
        self.unseen = dict.fromkeys(RANKS, 0)
        self.mean_points = dict.fromkeys(RANKS, 0.0)
        for card in hidden:
            self.unseen[card[0]] += 1
            self.mean_points[card[0]] += self.points[card]
        for rank in RANKS:
            self.mean_points[rank] /= max(self.unseen[rank], 1)

    def best_move(self, match, legal):
        """The move with the highest value."""
        before = self.captured_points(self.view)
        entries = []
        for move in legal:
            after = match.copy()
            after.step(move)
            view = after.view(self.seat)
            deal_over = after.turn is None or view["deal"] != self.view["deal"]
            entries.append((self.captured_points(view) - before, move, view, deal_over))
        entries.sort(key=lambda entry: entry[0], reverse=True)
        captures = [entry for entry in entries if "x" in entry[1]][:CANDIDATES]
        others = [entry for entry in entries if "x" not in entry[1]]
        return max(captures + others, key=self.value)[1]

    def captured_points(self, view):
        """The value of the own side's captured cards and sweeps."""
        cards = sum(self.points[card] for card in view["captured"][self.side])
        return cards + self.sweep_points * view["sweeps"].count(self.side)

    def value(self, entry):
        """The gain of a move, minus what the opponents will probably gain before the next own turn,
        plus what a partner and the own hand will."""
        gain, move, view, deal_over = entry
        if deal_over:
            return gain
        table = tuple((i["kind"], i.get("value"), tuple(i["cards"])) for i in view["table"])
        hand = list(self.view["hand"])
        hand.remove(move[:2])
        value, remaining = gain, 1.0
        for step in range(1, self.seats):
            seat = (self.seat + step) % self.seats
            expected, chance = self.expected_gain(table, self.view["hand_sizes"][seat])
            partner = seat in self.view["sides"][self.side]
            value += remaining * expected * (1.0 if partner else -1.0)
            remaining *= 1.0 - SPOILT * chance
        gains = [self.card_gain(table, card[0], self.points[card]) for card in hand]
        gains.sort(reverse=True)
        weights = [NEXT_TURN, SECOND_CARD, SECOND_CARD / 2]
        later = sum(weight * gain for weight, gain in zip(weights, gains, strict=False))
        return value + remaining * later

    def expected_gain(self, table, hand_size):
        """(expected gain of the best capture, chance of a capture) of a hidden hand."""
        gains = [
            (
                self.card_gain(table, rank, self.mean_points[rank]),
                self.chance_to_hold(rank, hand_size),
            )
            for rank in RANKS
            if self.unseen[rank]
        ]
        gains.sort(reverse=True)
        expected, none_better = 0.0, 1.0
        for gain, chance in gains:
            if gain <= 0:
                break
            expected += none_better * chance * gain
            none_better *= 1.0 - chance
        return expected, 1.0 - none_better

    def chance_to_hold(self, rank, hand_size):
        """The chance that a hidden hand holds a card of the rank."""
        without = self.hidden - self.unseen[rank]
        if hand_size > without:
            return 1.0
        return 1.0 - comb(without, hand_size) / comb(self.hidden, hand_size)

    def card_gain(self, table, rank, points):
        """The gain of a card's best capture, with the card's own points; 0 if it takes nothing."""
        key = (table, rank)
        if key not in self.capture_values:
            self.capture_values[key] = self.capture_value(table, rank)
        value = self.capture_values[key]
        return value + points if value > 0 else 0.0

    def capture_value(self, table, rank):
        """The value of the best capture from the table with a card of the rank."""
        number = self.numbers.get(rank)
        targets = [number] if number else []
        if rank == "A" and self.ace_high:
            targets = [1, 14]
        values = (self.value_with_sums(table, rank, target) for target in targets or [None])
        return max(values, default=0)

    def value_with_sums(self, table, rank, target):
        """The value of the best capture by a card with the number `target` (None: without one)."""
        value, taken, addends = 0.0, 0, []
        for kind, number, cards in table:
            points = sum(self.points[card] for card in cards) + 0.001  # no capture is worth 0
            fits = cards[0][0] == rank if kind != "sum" else number == target
            if fits:
                value += points
                taken += 1
            elif kind != "pair" and target and number and number < target:
                addends.append((number, points))
        if target and addends:
            sum_points, summed = best_sums(sorted(addends, reverse=True)[:12], target)
            value += sum_points
            taken += summed
        if taken == len(table) and taken:
            value += self.sweep_points
        return value


def is_decided(counts, total):
    """Whether one side has more than any other side can still reach."""
    first, second = sorted(counts, reverse=True)[:2]
    return first > second + total - sum(counts)


def best_sums(items, target):
    """(points, number of items) of the best set of items that divides into sums of `target`.

    `items` lists (number, points).
    """
    sums = []

    def collect_sums(start, missing, mask, points, count):
        if missing == 0:
            sums.append((mask, points, count))
            return
        for i in range(start, len(items)):
            number, item_points = items[i]
            if number <= missing:
                collect_sums(
                    i + 1, missing - number, mask | 1 << i, points + item_points, count + 1
                )

    collect_sums(0, target, 0, 0.0, 0)
    sums.sort(key=lambda entry: -entry[1])
    sums = sums[:24]

    def best_union(start, used):
        best = (0.0, 0)
        for i in range(start, len(sums)):
            mask, points, count = sums[i]
            if mask & used:
                continue
            more_points, more_count = best_union(i + 1, used | mask)
            best = max(best, (points + more_points, count + more_count))
        return best

    return best_union(0, 0)
