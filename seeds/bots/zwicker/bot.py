"""Plays Zwicker well: counts cards, leaves no easy zwick, and keeps jokers for what is worth them.

For every move: what it gains at once, less what the others can be expected to take from the table
that it leaves, plus what this hand can take when its turn comes again. All captured cards are open,
so the cards not yet seen are known, and with them the chance that somebody holds a card. In the
last hands of a game for two nothing is hidden any more: those are searched to the end.
"""

import random
from math import comb

from engine import Format, Match

RANKS = "A23456789TJQK"
POINTS = {"TD": 10, "7D": 1, "7S": 1, "X15": 4, "X20": 5, "X25": 6, "X30": 7}
ACE = 2
ZWICK = 3.0
CARD = 0.05
"""Points that one more card is worth towards the most cards."""
LATER = (0.7, 0.3, 0.15)
"""How much of the hand's captures next time round, best first, counts as if made now."""
JOKER = 0.3
"""What a wild joker still in hand is worth beyond that."""
OTHERS = 0.5
"""How much a point for one of several others costs, against one for the only other."""
FORESEEN = 3
"""Items on a table up to which the next trail is foreseen too: there zwicks are made."""

# What bounds the work, on tables as large as nobody leaves them to a careful player.
CANDIDATES, FEWER = 40, 12
"""Moves looked at closely, and on tables of more than WIDEST items; the rest gain less at once."""
WIDEST = 10
"""Items of a table that are looked at; the rest are worth less."""
SUMS, GROUPS, UNIONS = 200, 24, 200
"""Sets of items that are added to, sets of one sum that are joined, and unions of them."""
NODES = 250
"""Positions searched at most in the last hands."""
LAST_CARDS = 6
"""Cards in both hands from which on the end is searched."""
WIDTH = 2
"""Captures of one card that are searched there."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.format = Format.parse(info["format"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        if view["stock"] == 0 and len(view["hand_sizes"]) == 2:
            found = self.search_end(view)
            if found is not None:
                return found
        return Judge(self.format, view).best(legal)

    def search_end(self, view):
        """The best move by search to the end of the deal; None when that would take too long."""
        if sum(view["hand_sizes"]) > LAST_CARDS:
            return None
        try:
            return End(view["seat"]).best(Match.from_view(view, self.random), -1e9, 1e9)[1]
        except TooLongError:
            return None


class TooLongError(Exception):
    """The search has used up its positions."""


class End:
    """Search of a game for two whose cards are all known, to the end of the deal."""

    def __init__(self, seat):
        self.seat = seat
        self.left = NODES

    def best(self, match, low, high):
        """(score ahead at the end for the searching seat, move)."""
        mine = match.turn == self.seat
        chosen = None
        for move in self.moves(match):
            self.left -= 1
            if self.left < 0:
                raise TooLongError
            after = match.copy()
            after.step(move)
            if after.turn is None:
                value = after.scores[self.seat] - after.scores[1 - self.seat]
            else:
                value = self.best(after, low, high)[0]
            if chosen is None or (value > chosen[0] if mine else value < chosen[0]):
                chosen = (value, move)
            if mine:
                low = max(low, value)
            else:
                high = min(high, value)
            if low >= high:
                break
        return chosen

    def moves(self, match):
        """The largest captures of each card, its builds, and trailing it; captures first."""
        captures, others, seen = [], [], {}
        for move in match.legal_moves():
            card, taken, _ = move.partition("x")
            if not taken:
                others.append(move)
                continue
            seen[card] = seen.get(card, 0) + 1
            if seen[card] <= WIDTH:
                captures.append(move)
        captures.sort(key=len, reverse=True)
        return captures + others


class Judge:
    """Values the moves of one decision."""

    def __init__(self, fmt, view):
        self.view = view
        self.options = fmt.options
        self.wild = fmt.variant == "grupp"
        self.seat = view["seat"]
        self.seats = len(view["hand_sizes"])
        self.values = self.card_values()
        self.packs = 2 if self.seats > 4 else 1
        self.count_unseen()
        live = [kind for kind, count in self.unseen.items() if count]
        live += [kind_of(card) for card in view["hand"]]
        self.top = max(self.values[kind][-1] for kind in live)
        self.known, self.sums = {}, {}

    def card_values(self):
        """By kind (rank or joker) the values it can have, lowest first."""
        values = {rank: (at,) for at, rank in enumerate(RANKS, 1)}
        if self.wild:
            values.update({"A": (11,), "J": (12,), "Q": (13,), "K": (14,)})
            values["X"] = tuple(range(2, 15))
            return values
        values.update({"A": (1, 11), "J": (2, 12), "Q": (3, 13), "K": (4, 14)})
        values.update({f"X{value}": (value,) for value in (15, 20, 25, 30)})
        return values

    def count_unseen(self):
        """How many cards of each kind are hidden, and the mean worth of one."""
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
        self.worth_of = dict.fromkeys(self.values, 0.0)
        for card in hidden:
            self.unseen[kind_of(card)] += 1
            self.worth_of[kind_of(card)] += worth(card)
        for kind, count in self.unseen.items():
            self.worth_of[kind] /= max(count, 1)

    def best(self, legal):
        """The move of the greatest value."""
        lying, tried = self.lying(), []
        for move in legal:
            gain, card, table = self.after(lying, move)
            tried.append((gain, -len(tried), card, table, move))
        tried.sort(reverse=True)
        few = FEWER if len(lying) > WIDEST else CANDIDATES
        return max(tried[:few], key=self.value)[-1]

    def lying(self):
        """The items on the table."""
        return [self.item(i["id"], i["cards"], i["value"]) for i in self.view["table"]]

    def item(self, name, cards, value):
        """(name, values in a sum, worth, whether it has a wild joker in it)."""
        values = (value,) if value else self.values[kind_of(cards[0])]
        return name, values, sum(worth(card) for card in cards), "X" in cards

    def after(self, lying, move):
        """(gain at once, card played, table left) of a move."""
        if ">" in move:
            card, _, rest = move.partition(">")
            name, _, value = rest.rpartition("=")
            at = next(at for at, item in enumerate(lying) if item[0] == name)
            under = lying[at]
            pile = ("", (int(value),), under[2] + worth(card), under[3] or card == "X")
            return 0.0, card, (*lying[:at], pile, *lying[at + 1 :])
        card, takes, names = move.partition("x")
        if not takes:
            return 0.0, card, (*lying, self.item(card, [card], None))
        gain, left, taken = worth(card), [], names.split(",")
        for item in lying:
            if item[0] in taken:
                taken.remove(item[0])
                gain += item[2]
            else:
                left.append(item)
        return gain + self.zwick(card) * (not left), card, tuple(left)

    def zwick(self, card):
        """What clearing the table with the card scores."""
        return ZWICK if card != "X" or self.options["joker_zwick"] else 0.0

    def value(self, entry):
        """Gain now, less what the others can expect to gain, plus what comes back."""
        value, _, card, table, move = entry
        hand = list(self.view["hand"])
        hand.remove(card)
        # Equal tables are looked at once, however they came about. Dear items first: they count.
        table = tuple(sorted((item[1:] for item in table), key=lambda item: -item[1]))
        takes = self.hidden_takes(table)
        stays, sizes = 1.0, self.view["hand_sizes"]
        for step in range(1, self.seats):
            expected, taking = self.expect(takes, sizes[(self.seat + step) % self.seats])
            value -= stays * expected * (1.0 if self.seats == 2 else OTHERS)
            stays *= 1.0 - 0.7 * taking  # what is taken is seldom the whole table
        if self.wild and self.view["stock"] == 0 and sum(sizes) <= self.seats:
            last = self.seat if "x" in move else self.view["last_capture"]
            if last == self.seat:  # what nobody takes any more is mine
                value += stays * sum(item[1] for item in table)
        return value + stays * self.later(table, hand) + JOKER * hand.count("X")

    def later(self, table, hand):
        """What the hand can take when its turn comes again, if nothing is taken before."""
        if not hand:
            return 0.0
        if len(table) > FORESEEN:
            return self.best_of(table, hand)
        # A card is trailed before that: any but a joker, which nobody gives away.
        likely = {kind: count for kind, count in self.unseen.items() if kind[0] != "X"}
        total = max(sum(likely.values()), 1)
        expected = 0.0
        for kind, count in likely.items():
            if count:
                laid = (self.values[kind], self.worth_of[kind], False)
                expected += count / total * self.best_of((*table, laid), hand)
        return expected

    def best_of(self, table, hand):
        """The best captures of the hand, the less probable the later they come."""
        mine = sorted((self.gain(table, card) for card in hand), reverse=True)
        return sum(w * gain for w, gain in zip(LATER, mine, strict=False))

    def gain(self, table, card):
        """What a card gains from the table at best, itself included; 0 if it captures nothing."""
        found = self.take(table, kind_of(card))
        return found + worth(card) if found else 0.0

    def hidden_takes(self, table):
        """By kind not seen, the gain of a card of it from the table and its number of copies."""
        takes = []
        for kind, count in self.unseen.items():
            found = self.take(table, kind) if count else 0.0
            if found:
                takes.append((found + self.worth_of[kind], count))
        return sorted(takes, reverse=True)

    def expect(self, takes, cards):
        """(expected best gain, chance of a capture) of a hidden hand of so many cards."""
        expected, none_better = 0.0, 1.0
        for gain, count in takes:
            chance = self.chance(count, cards)
            expected += none_better * chance * gain
            none_better *= 1.0 - chance
        return expected, 1.0 - none_better

    def chance(self, count, cards):
        """The chance that a hidden hand holds one of so many hidden cards."""
        without = self.hidden - count
        if cards > without:
            return 1.0
        return 1.0 - comb(without, cards) / comb(self.hidden, cards)

    def take(self, table, kind):
        """What a card of the kind takes from the table at best, zwick included; 0: nothing."""
        rule = self.options.get("joker_table", "any")
        free = table
        if rule == "never" or (rule == "joker" and kind != "X"):
            free = tuple(item for item in table if not item[2])
        if kind == "X" and self.options["joker_single"]:
            gain, count = max(((item[1], 1) for item in free), default=(0.0, 0))
        else:
            gain, count = max(self.sum_of(free, value) for value in self.values[kind])
        return gain + self.zwick(kind) * (0 < count == len(table))

    def sum_of(self, table, value):
        """(worth, number of items) of the best set that divides into sums of the value."""
        key = (table, value)
        if key not in self.known:
            self.known[key] = pack(self.groups(table).get(value, ()), table)
        return self.known[key]

    def groups(self, table):
        """By value the sets of items that add up to it, as bit masks."""
        if table not in self.sums:
            partial, groups = [(0, 0)], {}
            for at, (values, _, _) in enumerate(table[:WIDEST]):
                more = [
                    (mask | 1 << at, total + value)
                    for value in values
                    for mask, total in partial
                    if total + value <= self.top
                ]
                for mask, total in more:
                    groups.setdefault(total, []).append(mask)
                partial += more[: max(0, SUMS - len(partial))]
            self.sums[table] = groups
        return self.sums[table]


def kind_of(card):
    """Cards of a kind take the same: the rank, or the joker."""
    return card if card[0] == "X" else card[0]


def worth(card):
    """What a card is worth to whoever captures it."""
    return POINTS.get(card, ACE if card[0] == "A" else 0) + CARD


def pack(masks, items):
    """(worth, number) of the best union of disjoint sets."""
    reached = {0}
    for mask in masks[:GROUPS]:
        reached |= {other | mask for other in reached if not other & mask}
        if len(reached) > UNIONS:
            break
    best = (0.0, 0)
    for mask in reached:
        taken = [item[1] for at, item in enumerate(items) if mask >> at & 1]
        best = max(best, (sum(taken), len(taken)))
    return best
