"""Plays Spoon Eye well: raises what can be raised, and leaves little that the next seats can raise.

Every way to play the turn to its end, with thefts, plunder and the second card of a four, is tried
on a copy of the match. What then lies there is judged by knowledge of the game: what each side has
won, which sums can still reach 21, how likely a hidden hand is to hold the card that is missing
(all cards on masts and in won piles are open, so the unseen ones are known), what a crow's nest
move or a nine could do, and what the own hand can raise next time.
"""

import math
import random
from collections import namedtuple

from engine import Format, Match

RANKS = "A23456789TJQK"
COUNTS = {rank: min(n, 10) for n, rank in enumerate(RANKS, 1) if rank != "J"}
FULL = 21
SUITS = {"D": 2, "S": 1, "H": 0, "C": -1}
"""Bonus of a won card."""
BONUS = 0.3
"""What a point above the line is worth while a target decides whether it will count."""
TURNS = (0.7, 0.35, 0.15)
"""How much of the best raising of the next own turns counts as if it were made now."""
OWN = 0.15
"""What a card on an own mast is worth, as something to be raised one day."""
LUCK = 0.2
"""The same for masts that a drawn card may raise, when others can be raised from the hand."""
SPOILT = 0.5
"""How much a raising by a seat spoils what the seats after it had in mind."""
HELD = 0.3
"""What a card in hand is worth."""
DRAWS = 3
"""Guesses at the card to be drawn."""
TRIES = 250
"""Positions tried at most to play out one move."""

Mast = namedtuple("Mast", "top wanted points gain cards suit")
"""Its crow's nest; the ranks that raise it; the points of its cards, and those of the raised mast;
how many cards; their suit if they have one in common and that would count double."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.format = Format.parse(info["format"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        judge = Judge(self.format, view)
        match = Match.from_view(view, self.random)
        best, chosen = None, legal[0]
        for move in judge.sift(view, legal):
            value = self.draw(view, judge) if move == "draw" else judge.after(match, move)
            if best is None or value > best:
                best, chosen = value, move
        return chosen

    def draw(self, view, judge):
        """The mean of the best plays over guesses at the card to be drawn."""
        total, old = 0.0, None
        for _ in range(DRAWS):
            match = Match.from_view(view, self.random)
            match.step("draw")
            moves = judge.sift(view, match.legal_moves())
            if old is None:
                values = [judge.after(match, move) for move in moves if move[:2] in judge.hand]
                old = max(values, default=-math.inf)
            new = [judge.after(match, move) for move in moves if move[:2] not in judge.hand]
            total += max([old, *new])
        return total / DRAWS


class Judge:
    """Values positions for the seat of one decision."""

    def __init__(self, fmt, view):
        options = fmt.options
        self.seat = view["seat"]
        self.sides = view["sides"]
        self.seats = len(view["hand_sizes"])
        self.side_of = [fmt.side(seat) for seat in range(self.seats)]
        self.side = self.side_of[self.seat]
        self.double = options["double"]
        self.run = options["run"] if options["nest"] else 0
        self.above = (BONUS if options["target"] else 1.0) if options["bonus"] else 0.0
        self.price = {r + s: 1.0 + self.above * SUITS[s] for r in RANKS for s in SUITS}
        self.mean = 1.0 + self.above * 0.5
        self.deal = view["deal"]
        self.sheet = view["sheet"]
        self.hand = set(view["hand"])
        self.turn = view["turn"]
        self.left = TRIES
        self.count_unseen(view)

    def count_unseen(self, view):
        """How many cards of each rank are hidden: not in sight, nor known to be in a hand."""
        seen = set(view["hand"])
        for cards in [mast for row in view["masts"] for mast in row] + view["known"]:
            seen.update(cards)
        for pile in view["won"]:
            seen.update(pile["single"], pile["double"])
        if view["raised"]:
            seen.update(view["raised"]["cards"])
        hidden = [card for card in self.price if card not in seen]
        self.hidden = len(hidden)
        self.unseen = dict.fromkeys(RANKS, 0)
        for card in hidden:
            self.unseen[card[0]] += 1
        self.tables, self.masts = {}, {}

    # ── playing the turn out ─────────────────────────────────────────────────────────────────────

    def after(self, match, move):
        """What a move is worth if the turn then goes on as well as it can."""
        self.left -= 1
        after = match.copy()
        after.step(move)
        view = after.view(self.seat)
        return self.best(after, view) if self.left > 0 and self.goes_on(view) else self.value(view)

    def goes_on(self, view):
        """Whether something of the own turn is still to be chosen."""
        own = self.turn == view["turn"] == self.seat
        return own and view["phase"] != "start" and not self.over(view)

    def over(self, view):
        return view["deal"] != self.deal or view["to_act"] is None

    def best(self, match, view):
        """The value of the best move; another side's choice of plunder is the worst for us."""
        moves = self.sift(view, match.legal_moves())
        values = [self.after(match, move) for move in moves]
        return max(values) if self.side_of[match.turn] == self.side else min(values)

    def sift(self, view, legal):
        """The moves worth a try: no `L`, as `R` is as good; and of a card's plays onto the masts of
        opponents the one that leaves least to be raised there.
        """
        moves, away = [], {}
        for move in legal:
            card, _, place = move.partition(">")
            if place[1:] == ":L":
                continue
            if len(card) > 2 or not place or self.side_of[int(place[0])] == self.side:
                moves.append(move)
                continue
            cards = view["masts"][int(place[0])][int(place[2]) - 1]
            added = self.danger([*cards, card]) - self.danger(cards)
            away[card] = min(away.get(card, (math.inf, "")), (added, move))
        return moves + [move for _, move in away.values()]

    def danger(self, cards):
        """What is to be feared of an opponent's mast: the likely worth of its raising."""
        mast = self.mast(cards)
        return mast.gain * sum(self.unseen[rank] for rank in mast.wanted)

    # ── what lies there ──────────────────────────────────────────────────────────────────────────

    def value(self, view):
        """Won so far, less what the others may raise before the next own turn, plus what I may."""
        value = self.won(view)
        if self.over(view):
            return value
        rows = [[self.mast(cards) for cards in row] for row in view["masts"]]
        stays = 1.0
        for step in range(self.seats):
            seat = (view["turn"] + step) % self.seats
            if seat == self.seat:
                break
            expected, likely = self.expect(view, rows, seat)
            value += self.share(seat) * stays * expected
            stays *= 1.0 - SPOILT * likely
        value += stays * self.mine(view, rows)
        value += HELD * self.mean * len(view["hand"])
        for seat, row in enumerate(rows):
            value += OWN * self.share(seat) * sum(mast.points for mast in row)
        return value

    def share(self, seat):
        """What a point of a seat counts for the own side: the others' are averaged."""
        return 1.0 if self.side_of[seat] == self.side else -1.0 / (len(self.sides) - 1)

    def won(self, view):
        """What the own side has won in this deal, ahead of the others' mean."""
        over, total = self.over(view), 0.0
        for side, seats in enumerate(self.sides):
            if over:
                old, new = self.sheet[side], view["sheet"][side]
                points = new["base"] - old["base"] + self.above * (new["bonus"] - old["bonus"])
            else:
                pile = view["won"][side]
                points = sum(self.price[card] for card in pile["single"])
                points += sum(self.price[card] + 1.0 for card in pile["double"])
            total += self.share(seats[0]) * points
        return total

    def mast(self, cards):
        """A mast's `Mast`, worked out once."""
        key = tuple(cards)
        if key not in self.masts:
            self.masts[key] = self.look_at(cards)
        return self.masts[key]

    def look_at(self, cards):
        """A jack counts what lies under it; raised, the cards from the fourth on count double."""
        counted, gap, points = COUNTS["T"], FULL, 0.0
        for card in cards:
            counted = COUNTS.get(card[0], counted)
            gap -= counted
            points += self.price[card]
        wanted = "TQK" if gap == 10 else RANKS[gap - 1] if gap < 10 else ""
        if gap == 0:
            wanted = RANKS  # only asked about in `danger`: raised at once
        if gap == counted:
            wanted += "J"
        gain = points + self.mean + (max(0, len(cards) - 2) if self.double else 0)
        suit = cards[0][1] if self.double and len({card[1] for card in cards}) == 1 else ""
        return Mast(cards[-1], wanted, points, gain, len(cards), suit)

    def gain(self, mast, card):
        """Points of a mast raised by a certain card, its plunder aside."""
        points = mast.gain + self.price[card] - self.mean
        if mast.suit == card[1]:
            points += mast.cards + 1 - max(0, mast.cards - 2)
        return points

    def chances(self, known, cards):
        """For each rank the chance that a hand of known cards and so many hidden ones holds it."""
        key = (tuple(known), min(cards, self.hidden))
        if key not in self.tables:
            hands = math.comb(self.hidden, key[1])
            self.tables[key] = {
                rank: 1.0 - math.comb(self.hidden - unseen, key[1]) / hands
                for rank, unseen in self.unseen.items()
            }
            self.tables[key].update(dict.fromkeys((card[0] for card in known), 1.0))
        return self.tables[key]

    def expect(self, view, rows, seat):
        """(expected points of another seat's best raising, chance of one)."""
        known = view["known"][seat]
        cards = view["hand_sizes"][seat] - len(known)
        drawn = seat == view["turn"] and view["phase"] == "play"
        chances = self.chances(known, cards + (view["stock"] > 0 and not drawn))
        near, far, plunder = self.around(view, rows, seat)
        gains = []
        for mast in rows[seat]:
            for rank in mast.wanted:
                chance = chances[rank]
                if near.count(rank) > (mast.top[0] == rank):
                    chance = 1.0
                elif rank in far:
                    chance = max(chance, chances["9"])
                gains.append((mast.gain + plunder, chance))
        gains.sort(reverse=True)
        expected, none_better = 0.0, 1.0
        for gain, chance in gains:
            expected += none_better * chance * gain
            none_better *= 1.0 - chance
        return expected, 1.0 - none_better

    def around(self, view, rows, seat):
        """(ranks a seat can move, ranks it can steal, the points of the best mast to plunder)."""
        side, far, plunder = self.side_of[seat], "", 0.0
        for other, row in enumerate(rows):
            if self.side_of[other] != side:
                for mast in row:
                    far += mast.top[0]
                    plunder = max(plunder, mast.points)
        begun = seat == view["turn"] and view["phase"] == "play"
        if begun or view["stock"] == 0 or view["nest_run"][seat] >= self.run:
            return "", far, plunder
        return "".join(mast.top[0] for mast in rows[seat]), far, plunder

    def mine(self, view, rows):
        """What the own hand can raise in the next turns: the best masts, each raised once."""
        held = [card for card in view["hand"] if card in self.hand]
        near, far, plunder = self.around(view, rows, self.seat)
        nine = any(card[0] == "9" for card in held)
        sure, later = [], 0.0
        for mast in rows[self.seat]:
            if not mast.wanted:
                continue
            made = [self.gain(mast, card) for card in held if card[0] in mast.wanted]
            if any(
                near.count(rank) > (mast.top[0] == rank) or (nine and rank in far)
                for rank in mast.wanted
            ):
                made.append(mast.gain)
            if made:
                sure.append(max(made) + plunder)
            elif view["stock"]:
                drawn = sum(self.unseen[rank] for rank in mast.wanted) / max(self.hidden, 1)
                later += drawn * (mast.gain + plunder)
        sure.sort(reverse=True)
        value = sum(weight * gain for weight, gain in zip(TURNS, sure, strict=False))
        return value + later * (LUCK if sure else TURNS[0])
