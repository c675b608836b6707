"""Plays Spoon Eye well: raises masts, and leaves the next seats little that they can raise.

The bot tries every way to complete its turn, with thefts, plunder and the second card after a four,
on copies of the match. It values the positions that result: what each side has won, which ranks
raise each mast, the chance that a hidden hand holds one of them (all cards on masts and in won
piles are open, so the unseen ones are known), what a crow's nest move or a nine could raise, and
what its own hand can raise in its next turns.
"""

import math
import random
from collections import namedtuple

from engine import Format, Match

RANKS = "A23456789TJQK"
VALUES = {rank: min(n, 10) for n, rank in enumerate(RANKS, 1) if rank != "J"}
"""Values on a mast (SPO-7); a jack copies the card below (SPO-8)."""
FULL = 21
SUIT_BONUS = {"D": 2, "S": 1, "H": 0, "C": -1}
"""Bonus above the line for a won card of each suit (SPO-47)."""
BONUS_WEIGHT = 0.3
"""Value of a point above the line in a match with a target, where it may not count (SPO-49)."""
NEXT_TURNS = (0.7, 0.35, 0.15)
"""Values of the raisings in the next own turns, best first, as shares of the same raisings now."""
LUCK = 0.2
"""Like `NEXT_TURNS`, for masts that only a drawn card can raise, if the hand can raise others."""
SPOILT = 0.5
"""Share of the later seats' gains that a seat takes away when it raises a mast."""
MAST_SHARE = 0.15
"""Additional value of a mast to its owner, as a share of its points: it may be raised one day."""
HAND_CARD = 0.3
"""Value of a card in the hand, as a share of a card's mean points."""
DRAWS = 3
"""Number of guesses at the card to be drawn."""
MAX_POSITIONS = 250
"""Maximum number of positions that a decision tries; then it stops completing turns."""

Mast = namedtuple("Mast", "top raisers points gain size suit")
"""`top`: the crow's nest. `raisers`: the ranks that raise the mast. `points`: the points of its
cards. `gain`: those of the raised mast with an average card on top. `size`: its number of cards.
`suit`: the suit of all its cards, if they are alike and doubling is on (SPO-42); else empty."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        self.format = Format.parse(info["format"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        judge = Judge(self.format, view)
        match = Match.from_view(view, self.random)
        best_value, best_move = None, legal[0]
        for move in judge.candidates(view, legal):
            if move == "draw":
                value = self.draw_value(view, judge)
            else:
                value = judge.move_value(match, move)
            if best_value is None or value > best_value:
                best_value, best_move = value, move
        return best_move

    def draw_value(self, view, judge):
        """The mean value of the best play, over several guesses at the card to be drawn."""
        total, old_cards_value = 0.0, None  # the guesses hardly affect plays of the old cards
        for _ in range(DRAWS):
            match = Match.from_view(view, self.random)
            match.step("draw")
            moves = judge.candidates(view, match.legal_moves())
            if old_cards_value is None:
                values = [judge.move_value(match, move) for move in moves if move[:2] in judge.hand]
                old_cards_value = max(values, default=-math.inf)
            values = [judge.move_value(match, move) for move in moves if move[:2] not in judge.hand]
            total += max([old_cards_value, *values])
        return total / DRAWS


class Judge:
    """The values of moves and positions for the seat of one decision."""

    def __init__(self, fmt, view):
        options = fmt.options
        self.seat = view["seat"]
        self.sides = view["sides"]
        self.seats = len(view["hand_sizes"])
        self.side_of = [fmt.side(seat) for seat in range(self.seats)]
        self.side = self.side_of[self.seat]
        self.double = options["double"]
        self.max_nest_run = options["run"] if options["nest"] else 0
        self.bonus_weight = 0.0
        if options["bonus"]:
            self.bonus_weight = BONUS_WEIGHT if options["target"] else 1.0
        self.points = {
            r + s: 1.0 + self.bonus_weight * SUIT_BONUS[s] for r in RANKS for s in SUIT_BONUS
        }
        self.mean_points = 1.0 + self.bonus_weight * 0.5
        self.deal = view["deal"]
        self.sheet = view["sheet"]
        self.hand = set(view["hand"])
        self.turn = view["turn"]
        self.positions_left = MAX_POSITIONS
        self.chances, self.masts = {}, {}  # caches
        self.count_unseen(view)

    def count_unseen(self, view):
        """Count the hidden cards of each rank, without those that are known to be in a hand."""
        seen = set(view["hand"])
        for cards in [mast for row in view["masts"] for mast in row] + view["known"]:
            seen.update(cards)
        for pile in view["won"]:
            seen.update(pile["single"], pile["double"])
        if view["raised"]:
            seen.update(view["raised"]["cards"])
        hidden = [card for card in self.points if card not in seen]
        self.hidden = len(hidden)
        self.unseen = dict.fromkeys(RANKS, 0)
        for card in hidden:
            self.unseen[card[0]] += 1

    # ── completing the turn ──────────────────────────────────────────────────────────────────────

    def move_value(self, match, move):
        """The value of a move if the turn then continues in the best way."""
        self.positions_left -= 1
        after = match.copy()
        after.step(move)
        view = after.view(self.seat)
        if self.positions_left > 0 and self.turn_continues(view):
            return self.best_value(after, view)
        return self.position_value(view)

    def turn_continues(self, view):
        """Whether the own turn still has a choice to make."""
        own_turn = self.turn == view["turn"] == self.seat
        return own_turn and view["phase"] != "start" and not self.deal_over(view)

    def deal_over(self, view):
        return view["deal"] != self.deal or view["to_act"] is None

    def best_value(self, match, view):
        """The value of the best move; opponents who plunder choose what is worst for this side."""
        moves = self.candidates(view, match.legal_moves())
        values = [self.move_value(match, move) for move in moves]
        return max(values) if self.side_of[match.turn] == self.side else min(values)

    def candidates(self, view, legal):
        """The moves worth trying.

        A new mast at the left (`L`) is as good as one at the right. Of a card's plays onto masts of
        opponents, only that which makes their raising least likely and valuable is tried.
        """
        moves, given_away = [], {}  # by card: (added danger, move)
        for move in legal:
            card, _, place = move.partition(">")
            if place[1:] == ":L":
                continue
            if len(card) > 2 or not place or self.side_of[int(place[0])] == self.side:
                moves.append(move)
                continue
            mast = view["masts"][int(place[0])][int(place[2]) - 1]
            added = self.danger([*mast, card]) - self.danger(mast)
            given_away[card] = min(given_away.get(card, (math.inf, "")), (added, move))
        return moves + [move for _, move in given_away.values()]

    def danger(self, cards):
        """How much an opponent's mast threatens: its gain times the number of unseen raisers."""
        mast = self.mast(cards)
        return mast.gain * sum(self.unseen[rank] for rank in mast.raisers)

    # ── valuing a position ───────────────────────────────────────────────────────────────────────

    def position_value(self, view):
        """The points won so far, minus the probable gains of the others before the next own turn,
        plus the probable gains of the own hand."""
        value = self.won_points(view)
        if self.deal_over(view):
            return value
        rows = [[self.mast(cards) for cards in row] for row in view["masts"]]
        remaining = 1.0
        for step in range(self.seats):
            seat = (view["turn"] + step) % self.seats
            if seat == self.seat:
                break
            expected, chance = self.expected_gain(view, rows, seat)
            value += self.weight(seat) * remaining * expected
            remaining *= 1.0 - SPOILT * chance
        value += remaining * self.own_gain(view, rows)
        value += HAND_CARD * self.mean_points * len(view["hand"])
        for seat, row in enumerate(rows):
            value += MAST_SHARE * self.weight(seat) * sum(mast.points for mast in row)
        return value

    def weight(self, seat):
        """The weight of a seat's points: those of the other sides are averaged and negative."""
        return 1.0 if self.side_of[seat] == self.side else -1.0 / (len(self.sides) - 1)

    def won_points(self, view):
        """The points that the own side has won in this deal, minus the others' mean."""
        deal_over, total = self.deal_over(view), 0.0
        for side, seats in enumerate(self.sides):
            if deal_over:
                old, new = self.sheet[side], view["sheet"][side]
                points = new["base"] - old["base"]
                points += self.bonus_weight * (new["bonus"] - old["bonus"])
            else:
                pile = view["won"][side]
                points = sum(self.points[card] for card in pile["single"])
                points += sum(self.points[card] + 1.0 for card in pile["double"])
            total += self.weight(seats[0]) * points
        return total

    def mast(self, cards):
        """The `Mast` with these cards, from a cache."""
        key = tuple(cards)
        if key not in self.masts:
            self.masts[key] = self.build_mast(cards)
        return self.masts[key]

    def build_mast(self, cards):
        value, missing, points = VALUES["T"], FULL, 0.0
        for card in cards:
            value = VALUES.get(card[0], value)  # a jack counts as the card below it
            missing -= value
            points += self.points[card]
        raisers = "TQK" if missing == 10 else RANKS[missing - 1] if missing < 10 else ""
        if missing == 0:
            raisers = RANKS  # only for `danger`: the play itself raises the mast
        if missing == value:
            raisers += "J"
        # The raising card included, those from the fourth on count double (SPO-41).
        gain = points + self.mean_points + (max(0, len(cards) - 2) if self.double else 0)
        suit = cards[0][1] if self.double and len({card[1] for card in cards}) == 1 else ""
        return Mast(cards[-1], raisers, points, gain, len(cards), suit)

    def gain_with(self, mast, card):
        """The points of the mast when this card raises it, without plunder."""
        points = mast.gain + self.points[card] - self.mean_points
        if mast.suit == card[1]:
            points += mast.size + 1 - max(0, mast.size - 2)
        return points

    def chances_to_hold(self, known, hidden_cards):
        """For each rank, the chance that a hand with these known and some hidden cards has it."""
        key = (tuple(known), min(hidden_cards, self.hidden))
        if key not in self.chances:
            hands = math.comb(self.hidden, key[1])
            self.chances[key] = {
                rank: 1.0 - math.comb(self.hidden - unseen, key[1]) / hands
                for rank, unseen in self.unseen.items()
            }
            self.chances[key].update(dict.fromkeys((card[0] for card in known), 1.0))
        return self.chances[key]

    def expected_gain(self, view, rows, seat):
        """(expected points of another seat's best raising, chance that it raises a mast)."""
        known = view["known"][seat]
        hidden_cards = view["hand_sizes"][seat] - len(known)
        has_drawn = seat == view["turn"] and view["phase"] == "play"
        draws = view["stock"] > 0 and not has_drawn
        chances = self.chances_to_hold(known, hidden_cards + draws)
        movable, stealable, plunder = self.opportunities(view, rows, seat)
        gains = []
        for mast in rows[seat]:
            for rank in mast.raisers:
                chance = chances[rank]
                if movable.count(rank) > (mast.top[0] == rank):
                    chance = 1.0
                elif rank in stealable:
                    chance = max(chance, chances["9"])
                gains.append((mast.gain + plunder, chance))
        gains.sort(reverse=True)
        expected, none_better = 0.0, 1.0
        for gain, chance in gains:
            expected += none_better * chance * gain
            none_better *= 1.0 - chance
        return expected, 1.0 - none_better

    def opportunities(self, view, rows, seat):
        """(ranks of the crow's nests that a seat can move, ranks of those that it can steal with a
        nine, points of the best mast that it can plunder)."""
        side, stealable, plunder = self.side_of[seat], "", 0.0
        for owner, row in enumerate(rows):
            if self.side_of[owner] != side:
                for mast in row:
                    stealable += mast.top[0]
                    plunder = max(plunder, mast.points)
        has_drawn = seat == view["turn"] and view["phase"] == "play"
        if has_drawn or view["stock"] == 0 or view["nest_run"][seat] >= self.max_nest_run:
            return "", stealable, plunder
        return "".join(mast.top[0] for mast in rows[seat]), stealable, plunder

    def own_gain(self, view, rows):
        """The value of what the own hand can raise in its next turns, each mast once."""
        hand = [card for card in view["hand"] if card in self.hand]  # without guessed cards
        movable, stealable, plunder = self.opportunities(view, rows, self.seat)
        has_nine = any(card[0] == "9" for card in hand)
        gains, drawn_gain = [], 0.0
        for mast in rows[self.seat]:
            if not mast.raisers:
                continue
            mast_gains = [self.gain_with(mast, card) for card in hand if card[0] in mast.raisers]
            if any(
                movable.count(rank) > (mast.top[0] == rank) or (has_nine and rank in stealable)
                for rank in mast.raisers
            ):
                mast_gains.append(mast.gain)
            if mast_gains:
                gains.append(max(mast_gains) + plunder)
            elif view["stock"]:
                chance = sum(self.unseen[rank] for rank in mast.raisers) / max(self.hidden, 1)
                drawn_gain += chance * (mast.gain + plunder)
        gains.sort(reverse=True)
        value = sum(weight * gain for weight, gain in zip(NEXT_TURNS, gains, strict=False))
        return value + drawn_gain * (LUCK if gains else NEXT_TURNS[0])
