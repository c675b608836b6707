"""Plays Cassino well: counts cards, builds, and guards against sweeps.

For every move: what it gains at once, less what the next opponents can be expected to take from the
table that it leaves, plus what this hand (and a partner's) can then take. All captured cards are
open, so the cards not yet seen are known, and with them the chance that somebody holds a rank. In
the last hands of a game for two nothing is hidden any more: those are searched to the end.
"""

import random
from math import comb

from engine import Format, Match

RANKS = "A23456789TJQK"
CARD = 0.12
"""Points that one more card is worth towards the most cards."""
SPADE = 0.15
"""The same for the most spades."""
LATER = 0.75
"""How much of a capture next time round counts as if it were made now."""
SECOND = 0.25
"""The same for the second best card of the hand."""
CANDIDATES = 14
"""Captures looked at closely; the rest gain less at once."""
NODES = 3000
"""Positions searched at most in the last hands."""
LAST_CARDS = 8
"""Cards in both hands from which on the end is searched."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.format = Format.parse(info["format"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        match = Match.from_view(view, self.random)
        if "out" in legal and self.wins_now(match):
            return "out"
        legal = [move for move in legal if move != "out"]
        if view["stock"] == 0 and len(view["hand_sizes"]) == 2:
            found = self.search_end(match, view)
            if found is not None:
                return found
        return Judge(self.format, view).best(match, legal)

    def wins_now(self, match):
        """Whether claiming the win would be right."""
        seat, after = match.turn, match.copy()
        after.play("out")
        return after.result["ranks"][after.format.side(seat)] == 1

    def search_end(self, match, view):
        """The best move by search to the end of the deal; None when that would take too long."""
        if sum(view["hand_sizes"]) > LAST_CARDS:
            return None
        end = End(view["seat"])
        for width in (4, 3, 2):
            end.left, end.width = NODES, width
            try:
                return end.best(match, -1e9, 1e9)[1]
            except TooLongError:
                continue
        return None


class TooLongError(Exception):
    """The search has used up its positions."""


class End:
    """Search of a game for two whose cards are all known, to the end of the deal."""

    def __init__(self, seat):
        self.seat = seat
        self.left = NODES
        self.width = 4

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
            if move == "out":
                continue
            card, taken, _ = move.partition("x")
            if not taken:
                others.append(move)
                continue
            seen[card] = seen.get(card, 0) + 1
            if seen[card] <= self.width:
                captures.append(move)
        captures.sort(key=len, reverse=True)
        return captures + others


class Judge:
    """Values the moves of one decision."""

    def __init__(self, fmt, view):
        options = fmt.options
        self.view = view
        self.seat = view["seat"]
        self.seats = len(view["hand_sizes"])
        self.side = next(i for i, side in enumerate(view["sides"]) if self.seat in side)
        royal = fmt.variant.startswith("royal")
        self.numbers = {rank: n for n, rank in enumerate(RANKS, 1) if n <= 10 or royal}
        self.ace_high = bool(options.get("ace_high"))
        self.sweep = 1.0 if options["sweeps"] else 0.0
        self.points = self.card_points(fmt)
        self.count_unseen()
        self.best_takes = {}

    def card_points(self, fmt):
        """What each card is worth to whoever captures it."""
        piles = self.view["captured"]
        cards = 0.0 if decided([len(pile) for pile in piles], 52) else CARD
        spades = [sum(card[1] == "S" for card in pile) for pile in piles]
        spade = 0.0 if decided(spades, 13) else SPADE
        points = dict.fromkeys((r + s for r in RANKS for s in "CDHS"), cards)
        for rank in RANKS:
            points[rank + "S"] += 1.0 if "spade" in fmt.variant else spade
        for card in ("AC", "AD", "AH", "AS"):
            points[card] += 1.0
        points["TD"] += 2.0
        points["2S"] += 1.0
        if "spade" in fmt.variant:
            points["JS"] += 1.0
        return points

    def count_unseen(self):
        """How many cards of each rank are hidden, and the mean worth of one."""
        view = self.view
        seen = set(view["hand"])
        for pile in view["captured"]:
            seen.update(pile)
        for item in view["table"]:
            seen.update(item["cards"])
        hidden = [card for card in self.points if card not in seen]
        self.hidden = len(hidden)
        self.unseen = dict.fromkeys(RANKS, 0)
        self.worth_of = dict.fromkeys(RANKS, 0.0)
        for card in hidden:
            self.unseen[card[0]] += 1
            self.worth_of[card[0]] += self.points[card]
        for rank in RANKS:
            self.worth_of[rank] /= max(self.unseen[rank], 1)

    def best(self, match, legal):
        """The move of the greatest value."""
        before = self.pile(self.view)
        tried = []
        for move in legal:
            after = match.copy()
            after.step(move)
            view = after.view(self.seat)
            over = after.turn is None or view["deal"] != self.view["deal"]
            gain = self.pile(view) - before
            tried.append((gain, move, view, over))
        tried.sort(key=lambda entry: entry[0], reverse=True)
        captures = [entry for entry in tried if "x" in entry[1]][:CANDIDATES]
        others = [entry for entry in tried if "x" not in entry[1]]
        return max(captures + others, key=self.value)[1]

    def pile(self, view):
        """What my side has captured, in points."""
        cards = sum(self.points[card] for card in view["captured"][self.side])
        return cards + self.sweep * view["sweeps"].count(self.side)

    def value(self, entry):
        """Gain now, less what the others can expect to gain, plus what comes back."""
        gain, move, view, over = entry
        if over:
            return gain
        table = tuple((i["kind"], i.get("value"), tuple(i["cards"])) for i in view["table"])
        hand = list(self.view["hand"])
        hand.remove(move[:2])
        value, stays = gain, 1.0
        for step in range(1, self.seats):
            seat = (self.seat + step) % self.seats
            expected, taking = self.expect(table, self.view["hand_sizes"][seat])
            friend = seat in self.view["sides"][self.side]
            value += stays * expected * (1.0 if friend else -1.0)
            stays *= 1.0 - 0.7 * taking
        mine = sorted((self.take(table, card[0], self.points[card]) for card in hand), reverse=True)
        weights = [LATER, SECOND, SECOND / 2]
        return value + stays * sum(w * gain for w, gain in zip(weights, mine, strict=False))

    def expect(self, table, cards):
        """(expected best gain, chance of a capture) of a hidden hand of so many cards."""
        gains = [
            (self.take(table, rank, self.worth_of[rank]), self.chance(rank, cards))
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

    def chance(self, rank, cards):
        """The chance that a hidden hand holds the rank."""
        without = self.hidden - self.unseen[rank]
        if cards > without:
            return 1.0
        return 1.0 - comb(without, cards) / comb(self.hidden, cards)

    def take(self, table, rank, own):
        """What a card of the rank gains at best from the table; 0 if it captures nothing."""
        key = (table, rank)
        if key not in self.best_takes:
            self.best_takes[key] = self.search(table, rank)
        found = self.best_takes[key]
        return found + own if found > 0 else 0.0

    def search(self, table, rank):
        number = self.numbers.get(rank)
        targets = [number] if number else []
        if rank == "A" and self.ace_high:
            targets = [1, 14]
        return max((self.best_sum(table, rank, target) for target in targets or [None]), default=0)

    def best_sum(self, table, rank, target):
        """The best capture whose sums make `target` (None: by rank alone)."""
        gain, taken, loose = 0.0, 0, []
        for kind, value, cards in table:
            worth = sum(self.points[card] for card in cards) + 0.001
            whole = cards[0][0] == rank if kind != "sum" else value == target
            if whole:
                gain += worth
                taken += 1
            elif kind != "pair" and target and value and value < target:
                loose.append((value, worth))
        if target and loose:
            more, used = pack(sorted(loose, reverse=True)[:12], target)
            gain += more
            taken += used
        if taken == len(table) and taken:
            gain += self.sweep
        return gain


def decided(counts, total):
    """Whether the most can no longer change: one side has more than any other can reach."""
    first, second = sorted(counts, reverse=True)[:2]
    return first > second + total - sum(counts)


def pack(items, target):
    """(worth, number) of the best choice of items that divides into sums of `target`."""
    sums = []

    def collect(start, left, mask, worth, used):
        if left == 0:
            sums.append((mask, worth, used))
            return
        for i in range(start, len(items)):
            if items[i][0] <= left:
                collect(i + 1, left - items[i][0], mask | 1 << i, worth + items[i][1], used + 1)

    collect(0, target, 0, 0.0, 0)
    sums.sort(key=lambda entry: -entry[1])
    sums = sums[:24]

    def choose(start, busy):
        best = (0.0, 0)
        for i in range(start, len(sums)):
            mask, worth, used = sums[i]
            if mask & busy:
                continue
            more, others = choose(i + 1, busy | mask)
            best = max(best, (worth + more, used + others))
        return best

    return choose(0, 0)
