"""Plays Zwicker well: counts cards, leaves no easy zwick, and saves jokers for valuable captures.

The value of a move is its own gain, minus what the opponents can be expected to take from the table
that it leaves, plus what this hand can take in its next turns. All captured cards are open, so the
bot knows which cards are unseen, and from them the chance that somebody holds a card. With two
players nothing is hidden in the last hands, so the bot searches these to the end of the deal.
"""

import random
from math import comb

from engine import Format, Match

RANKS = "A23456789TJQK"
POINTS = {"TD": 10, "7D": 1, "7S": 1, "X15": 4, "X20": 5, "X25": 6, "X30": 7}
ACE = 2
ZWICK = 3.0
"""Points for captured cards, for each ace, and for each zwick (ZWI-38, ZWI-40)."""
CARD = 0.05
"""Value of one more card towards the most cards (ZWI-39)."""
NEXT_TURNS = (0.7, 0.3, 0.15)
"""Values of the hand's later captures, best first, as shares of the same captures now."""
JOKER_IN_HAND = 0.3
"""Value of a wild joker in the hand beyond its captures."""
OPPONENT_FACTOR = 0.5
"""Cost of a point for one of several opponents, relative to a point for a single opponent."""
SPOILT = 0.7
"""Share of the later captures' value that another seat's capture takes away."""
MAX_FORESIGHT_ITEMS = 3
"""On tables with at most this many items, the next trail is considered too: zwicks happen there."""

# These limits bound the time on large tables, which careful players seldom leave.
CANDIDATES, FEW_CANDIDATES = 40, 12
"""Maximum number of moves whose consequences are estimated: the largest immediate gains. The second
number is for tables of more than `MAX_ITEMS` items."""
MAX_ITEMS = 10
"""Maximum number of items that captures consider: the most valuable ones."""
MAX_PARTIAL_SETS, MAX_SETS, MAX_UNIONS = 200, 24, 200
"""Maximum numbers of sets that more items are added to, of sets with one sum that are combined, and
of their combinations."""
MAX_NODES = 250
"""Maximum number of positions in a search of the last hands."""
MAX_SEARCH_CARDS = 6
"""Maximum number of cards in both hands for this search."""
WIDTH = 2
"""Number of captures of each card in this search."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.format = Format.parse(info["format"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        if view["stock"] == 0 and len(view["hand_sizes"]) == 2:
            move = self.search_end(view)
            if move is not None:
                return move
        return Judge(self.format, view).best_move(legal)

    def search_end(self, view):
        """The best move by a search to the end of the deal; None if it would take too long."""
        if sum(view["hand_sizes"]) > MAX_SEARCH_CARDS:
            return None
        match = Match.from_view(view, self.random)
        try:
            return EndSearch(view["seat"]).solve(match, -1e9, 1e9)[1]
        except TooLongError:
            return None


class TooLongError(Exception):
    """The search has visited its maximum number of positions."""


class EndSearch:
    """Alpha-beta search to the end of a two-player deal whose cards are all known."""

    def __init__(self, seat):
        self.seat = seat
        self.nodes_left = MAX_NODES

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
        """The first `WIDTH` captures of each card, largest first; then all other moves.

        The list of moves names a capture before those that take only some of its items (ZWI-49).
        """
        captures, others, counts = [], [], {}
        for move in match.legal_moves():
            card, is_capture, _ = move.partition("x")
            if not is_capture:
                others.append(move)
                continue
            counts[card] = counts.get(card, 0) + 1
            if counts[card] <= WIDTH:
                captures.append(move)
        captures.sort(key=len, reverse=True)
        return captures + others


class Judge:
    """The values of the moves in one decision.

    An item of the table is (id, possible values, points, whether it contains a wild joker). In
    estimates, `table` is a tuple of items without ids.
    """

    def __init__(self, fmt, view):
        self.view = view
        self.options = fmt.options
        self.wild = fmt.variant == "grupp"
        self.seat = view["seat"]
        self.seats = len(view["hand_sizes"])
        self.values = self.values_by_kind()
        self.packs = 2 if self.seats > 4 else 1
        self.count_unseen()
        kinds = [kind for kind, count in self.unseen.items() if count]
        kinds += [kind_of(card) for card in view["hand"]]
        self.max_value = max(self.values[kind][-1] for kind in kinds)
        self.best_sums, self.sets_by_table = {}, {}  # caches

    def values_by_kind(self):
        """For each kind, the values that its cards can have, ascending (ZWI-14, ZWI-31)."""
        values = {rank: (number,) for number, rank in enumerate(RANKS, 1)}
        if self.wild:
            values.update({"A": (11,), "J": (12,), "Q": (13,), "K": (14,)})
            values["X"] = tuple(range(2, 15))
            return values
        values.update({"A": (1, 11), "J": (2, 12), "Q": (3, 13), "K": (4, 14)})
        values.update({f"X{value}": (value,) for value in (15, 20, 25, 30)})
        return values

    def count_unseen(self):
        """Count the hidden cards of each kind, and compute their mean points."""
        view = self.view
        seen = list(view["hand"])
        for pile in view["captured"]:
            seen += pile
        for item in view["table"]:
            seen += item["cards"]
        jokers = ["X"] * 6 if self.wild else ["X15", "X20", "X25", "X30"]
        hidden = ([r + s for r in RANKS for s in "CDHS"] + jokers) * self.packs
        for card in seen:
            hidden.remove(card)
        self.hidden = len(hidden)
        self.unseen = dict.fromkeys(self.values, 0)
        self.mean_points = dict.fromkeys(self.values, 0.0)
        for card in hidden:
            self.unseen[kind_of(card)] += 1
            self.mean_points[kind_of(card)] += card_points(card)
        for kind, count in self.unseen.items():
            self.mean_points[kind] /= max(count, 1)

    def best_move(self, legal):
        """The move with the highest value."""
        items, entries = self.table_items(), []
        for move in legal:
            gain, card, items_left = self.outcome(items, move)
            entries.append((gain, -len(entries), card, items_left, move))
        entries.sort(reverse=True)
        candidates = FEW_CANDIDATES if len(items) > MAX_ITEMS else CANDIDATES
        return max(entries[:candidates], key=self.value)[-1]

    def table_items(self):
        """The items on the table."""
        return [self.item(i["id"], i["cards"], i["value"]) for i in self.view["table"]]

    def item(self, item_id, cards, value):
        """An item with these cards; `value` is that of a build, else None."""
        values = (value,) if value else self.values[kind_of(cards[0])]
        return item_id, values, sum(card_points(card) for card in cards), "X" in cards

    def outcome(self, items, move):
        """(immediate gain of a move, card played, items left)."""
        if ">" in move:
            card, _, rest = move.partition(">")
            target, _, value = rest.rpartition("=")
            at = next(at for at, item in enumerate(items) if item[0] == target)
            _, _, points, has_joker = items[at]
            build = ("", (int(value),), points + card_points(card), has_joker or card == "X")
            return 0.0, card, (*items[:at], build, *items[at + 1 :])
        card, is_capture, ids = move.partition("x")
        if not is_capture:
            return 0.0, card, (*items, self.item(card, [card], None))
        gain, items_left, taken = card_points(card), [], ids.split(",")
        for item in items:
            if item[0] in taken:
                taken.remove(item[0])
                gain += item[2]
            else:
                items_left.append(item)
        return gain + self.zwick_points(card) * (not items_left), card, tuple(items_left)

    def zwick_points(self, card):
        """The points for clearing the table with the card."""
        return ZWICK if card != "X" or self.options["joker_zwick"] else 0.0

    def value(self, entry):
        """The gain of a move, minus what the opponents will probably gain before the next own turn,
        plus what the own hand will."""
        value, _, card, items, move = entry
        hand = list(self.view["hand"])
        hand.remove(card)
        # Most valuable items first, because captures consider only MAX_ITEMS. Tables that differ
        # only in the order of their items then mostly share one entry of the caches.
        table = tuple(sorted((item[1:] for item in items), key=lambda item: -item[1]))
        gains = self.hidden_gains(table)
        remaining, sizes = 1.0, self.view["hand_sizes"]
        for step in range(1, self.seats):
            expected, chance = self.expected_gain(gains, sizes[(self.seat + step) % self.seats])
            value -= remaining * expected * (1.0 if self.seats == 2 else OPPONENT_FACTOR)
            remaining *= 1.0 - SPOILT * chance
        if self.wild and self.view["stock"] == 0 and sum(sizes) <= self.seats:
            last = self.seat if "x" in move else self.view["last_capture"]
            if last == self.seat:  # this seat gets the items that nobody takes (ZWI-29)
                value += remaining * sum(item[1] for item in table)
        later = self.later_gain(table, hand)
        return value + remaining * later + JOKER_IN_HAND * hand.count("X")

    def later_gain(self, table, hand):
        """What the hand can take in its next turns if nobody captures before."""
        if not hand:
            return 0.0
        if len(table) > MAX_FORESIGHT_ITEMS:
            return self.hand_gain(table, hand)
        # Another seat will trail a card first: any but a joker, which nobody gives away.
        trails = {kind: count for kind, count in self.unseen.items() if kind[0] != "X"}
        total = max(sum(trails.values()), 1)
        expected = 0.0
        for kind, count in trails.items():
            if count:
                trailed = (self.values[kind], self.mean_points[kind], False)
                expected += count / total * self.hand_gain((*table, trailed), hand)
        return expected

    def hand_gain(self, table, hand):
        """The weighted gains of the hand's best captures."""
        gains = sorted((self.card_gain(table, card) for card in hand), reverse=True)
        return sum(weight * gain for weight, gain in zip(NEXT_TURNS, gains, strict=False))

    def card_gain(self, table, card):
        """The gain of a card's best capture, with the card's own points; 0 if it takes nothing."""
        value = self.capture_value(table, kind_of(card))
        return value + card_points(card) if value else 0.0

    def hidden_gains(self, table):
        """(mean gain, number of hidden cards) of each kind that can capture, best first."""
        gains = []
        for kind, count in self.unseen.items():
            value = self.capture_value(table, kind) if count else 0.0
            if value:
                gains.append((value + self.mean_points[kind], count))
        return sorted(gains, reverse=True)

    def expected_gain(self, gains, hand_size):
        """(expected gain of the best capture, chance of a capture) of a hidden hand."""
        expected, none_better = 0.0, 1.0
        for gain, count in gains:
            chance = self.chance_to_hold(count, hand_size)
            expected += none_better * chance * gain
            none_better *= 1.0 - chance
        return expected, 1.0 - none_better

    def chance_to_hold(self, count, hand_size):
        """The chance that a hidden hand holds at least one of `count` hidden cards."""
        without = self.hidden - count
        if hand_size > without:
            return 1.0
        return 1.0 - comb(without, hand_size) / comb(self.hidden, hand_size)

    def capture_value(self, table, kind):
        """The value of the best capture by a card of the kind, zwick included; 0 if none."""
        rule = self.options.get("joker_table", "any")
        free = table
        if rule == "never" or (rule == "joker" and kind != "X"):
            free = tuple(item for item in table if not item[2])
        if kind == "X" and self.options["joker_single"]:
            points, count = max(((item[1], 1) for item in free), default=(0.0, 0))
        else:
            points, count = max(self.best_sum(free, value) for value in self.values[kind])
        return points + self.zwick_points(kind) * (0 < count == len(table))

    def best_sum(self, table, value):
        """(points, number of items) of the best set that divides into sums of `value`."""
        key = (table, value)
        if key not in self.best_sums:
            self.best_sums[key] = best_union(self.sets_by_sum(table).get(value, ()), table)
        return self.best_sums[key]

    def sets_by_sum(self, table):
        """For each sum, the sets of items with that sum, as bit masks."""
        if table not in self.sets_by_table:
            partial_sets, sets_by_sum = [(0, 0)], {}
            for at, (values, _, _) in enumerate(table[:MAX_ITEMS]):
                larger_sets = [
                    (mask | 1 << at, total + value)
                    for value in values
                    for mask, total in partial_sets
                    if total + value <= self.max_value
                ]
                for mask, total in larger_sets:
                    sets_by_sum.setdefault(total, []).append(mask)
                partial_sets += larger_sets[: max(0, MAX_PARTIAL_SETS - len(partial_sets))]
            self.sets_by_table[table] = sets_by_sum
        return self.sets_by_table[table]


def kind_of(card):
    """A card's kind, its rank or joker: cards of a kind take the same items."""
    return card if card[0] == "X" else card[0]


def card_points(card):
    """The value of a card to the seat that captures it."""
    return POINTS.get(card, ACE if card[0] == "A" else 0) + CARD


def best_union(masks, items):
    """(points, number of items) of the best union of disjoint sets."""
    unions = {0}
    for mask in masks[:MAX_SETS]:
        unions |= {union | mask for union in unions if not union & mask}
        if len(unions) > MAX_UNIONS:
            break
    best = (0.0, 0)
    for union in unions:
        points = [item[1] for at, item in enumerate(items) if union >> at & 1]
        best = max(best, (sum(points), len(points)))
    return best
