"""Plays Canasta by valuing each step: guards the pile, keeps pairs, builds canastas, goes out.

Each card has one value in the hand and another on the table; a step is good if the second is
higher. The nearer the end of the deal seems, the more card points count. The value of a discard
depends on the value of the card, and on the chance that the next player takes the pile with it.
This chance follows from the unseen cards, and from what this player has taken and discarded.
"""

import re
from collections import Counter
from math import comb

from engine import Format

NATURAL = "A456789TJQK"
POINTS = {"A": 20, "2": 20, "X": 50, "3": 5, "4": 5, "5": 5, "6": 5, "7": 5, "R": 0}
"""Card points by symbol (CAN-2, CAN-3); all other cards count 10."""
PROGRESS = (0.0, 0.0, 0.0, 0.15, 0.25, 0.4, 0.65, 1.0)
"""Value of a meld as a share of its canasta bonus, by its number of cards."""
NATURALS_IN_HAND = (0.0, 3.0, 35.0, 50.0)
"""Value in the hand of 0 to 3 natural cards of a rank: pairs take piles."""
MORE_NATURALS = 15.0
"""Value in the hand of each natural card beyond three of a rank."""
OTHERS_IN_HAND = {"2": 65.0, "X": 85.0, "3": 10.0, "R": 10.0}
"""Value in the hand of wild cards and threes. A pile with a black three on top cannot be taken."""
LAY_OFF = 20.0
"""Value in the hand of a card that can be laid off."""
UNKNOWN_CARD = 20.0
"""Value of an unknown card in the pile."""
DRAW = 30.0
"""Value of a card from the stock: it may be wild, or a red three."""
PILE_CARD = 22.0
"""Value of each card of the pile to an opponent who takes it."""
FREEZE = 5.0
"""Value, for each card in the pile, of freezing it against a next opponent who has melds."""
FIRST_MELD = {4: -120.0, 6: 100.0}
FIRST_MELD_BY_TAKING = {4: -80.0, 6: 0.0}
"""Value of a first meld from the hand or with the pile, for up to four players and for six. It
breaks up pairs that could take larger piles, but with six players the deal is too short to wait."""
ALONE = -400.0
"""Value of being the first to take the pile in 1v2: the other two then score together (CAN-71)."""
GOING_OUT = {1: 0.6, 2: 0.5, 3: 0.4, 4: 0.25, 5: 0.15}
"""The chance that a seat goes out before our next turn, by the number of its cards."""
MIN_ASK_CARDS = 5
"""Ask before going out if a partner has at least this many cards."""
MAX_HAND_POINTS = 110
"""With more card points in its hand, a partner does not want the deal to end."""

MELD = re.compile(r"(?P<rank>.)(?:#(?P<number>\d+))?:(?P<cards>.+)")
TAKE = re.compile(r"take(?:#(?P<number>\d+))?(?::(?P<cards>..))?")


class Bot:
    def start(self, info):
        self.format = Format.parse(info["format"])
        self.memory = Memory()

    def event(self, event):
        self.memory.event(event)

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        judge = Judge(self.format.options, view, self.memory)
        if view["phase"] == "answer":
            return "yes" if judge.allows_going_out() else "no"
        if view["phase"] == "choose":
            return max(legal, key=judge.choice_value)
        return judge.next_step(legal)


class Memory:
    """Facts that only the events show: the cards in the pile, and what each seat took from it or
    discarded."""

    def __init__(self):
        self.pile = []
        self.taken = {}  # by seat: cards that it took and still holds, as a Counter
        self.discards = {}  # by seat: its discards in this deal

    def event(self, event):
        kind, seat = event["type"], event.get("seat")
        cards = [symbol(card) for card in event.get("cards") or event.get("with") or []]
        taken = self.taken.setdefault(seat, Counter())
        if kind == "deal":
            self.__init__()
        elif kind == "upcard":
            self.pile = cards
        elif kind == "discard":
            cards = [symbol(event["card"])]
            self.pile += cards
            self.discards.setdefault(seat, set()).update(cards)
        elif kind == "take":
            taken.update(self.pile[:-1])
            self.pile = []
        if kind in ("discard", "take", "meld"):
            self.taken[seat] = taken - Counter(cards)


class Knowledge:
    """What the seat knows in one decision, and the chances that follow from it."""

    def __init__(self, options, view, memory):
        self.view, self.options = view, options
        self.seat = view["seat"]
        self.hand = Counter(symbol(card) for card in view["hand"])
        self.melds = [shapes(melds) for melds in view["melds"]]
        self.side = self.side_of(self.seat)
        self.own_melds = self.melds[self.side]
        chairs, direction = view["chairs"], 1 if options["direction"] == "cw" else -1
        self.next_seat = chairs[(chairs.index(self.seat) + direction) % len(chairs)]
        self.next_taken = memory.taken.get(self.next_seat, Counter())
        self.next_discards = memory.discards.get(self.next_seat, ())
        cards, top = view["pile"]["cards"], view["pile"]["top"]
        self.pile = memory.pile if cards is None else [symbol(card) for card in cards]
        if len(self.pile) != view["pile"]["size"]:
            self.pile = ["?"] * (view["pile"]["size"] - 1) + ([symbol(top)] if top else [])
        self.count_unseen(memory)
        self.end_chance = self.chance_of_end()

    def count_unseen(self, memory):
        """Count the hidden cards of each symbol."""
        packs = self.options["packs"]
        unseen = Counter(dict.fromkeys(NATURAL + "2", 4 * packs))
        unseen.update({"X": 2 * packs, "3": 2 * packs})
        unseen.subtract(self.hand)
        unseen.subtract(self.pile)
        for melds in self.view["melds"]:
            unseen.subtract(symbol(card) for meld in melds for card in meld["cards"])
        for seat, cards in memory.taken.items():
            if seat != self.seat:
                unseen.subtract(cards)
        self.unseen = +unseen
        self.hidden = sum(self.unseen.values())

    def side_of(self, seat):
        return next(i for i, side in enumerate(self.view["sides"]) if seat in side)

    def canastas(self, side):
        """The number of canastas of a side."""
        return sum(sum(shape) >= 7 for of_rank in self.melds[side].values() for shape in of_rank)

    def chance_of_end(self):
        """The chance that the deal ends before this seat's next turn."""
        view = self.view
        chairs = view["chairs"]
        if view["stock"] < len(chairs) * self.options["draw"] or not view["step"]["discard"]:
            return 1.0
        chance = 0.02
        for seat in chairs:
            side = self.side_of(seat)
            if side != self.side:
                ready = 1.0 if self.canastas(side) >= self.options["canastas"] else 0.25
                chance = max(chance, ready * GOING_OUT.get(view["hand_sizes"][seat], 0.04))
        return chance

    def chance_of_taking(self, sym):
        """The chance that the next seat takes the pile with this card on top."""
        if sym not in NATURAL:
            return 0.0
        view, side = self.view, self.side_of(self.next_seat)
        opened = view["opened"][side]
        chance = self.chance_to_hold(sym, 2) * (0.4 if sym in self.next_discards else 1.0)
        if not view["pile"]["frozen"] and (opened or not self.options["startfrozen"]):
            melds = self.melds[side].get(sym, [])
            if any(self.options["lay"] or sum(shape) < 7 for shape in melds):
                chance = 1.0
            elif self.options["pair"] == "frozen":
                chance = max(chance, 0.6 * self.chance_to_hold(sym, 1))  # with a wild card
        if not opened:
            # In 1v2 each seat has a minimum of its own, even as a member of the pair (CAN-73).
            index = self.next_seat if len(view["minimum"]) > len(view["sides"]) else side
            chance *= {15: 0.9, 50: 0.7, 90: 0.5}.get(view["minimum"][index], 0.35)
        return chance

    def chance_to_hold(self, sym, count):
        """The chance that the next seat holds at least `count` cards of a symbol."""
        size = self.view["hand_sizes"][self.next_seat] - sum(self.next_taken.values())
        size = max(0, min(size, self.hidden))
        copies = self.unseen[sym]
        fewer = sum(
            comb(copies, k) * comb(self.hidden - copies, size - k)
            for k in range(min(count - self.next_taken[sym], copies + 1, size + 1))
        )
        return 1.0 - fewer / comb(self.hidden, size)


class Judge(Knowledge):
    """The values of the steps in one decision.

    The shape of a meld is (natural cards, wild cards).
    """

    def __init__(self, options, view, memory):
        super().__init__(options, view, memory)
        self.continue_chance = 1.0 - self.end_chance
        self.need = view["step"]["need"]
        self.players = 4 if len(view["chairs"]) <= 4 else 6

    def allows_going_out(self):
        """Whether to answer yes to a partner who asks to go out."""
        hand_points = sum(points(sym) * n for sym, n in self.hand.items())
        return hand_points <= MAX_HAND_POINTS or self.end_chance > 0.3

    def hand_value(self, sym, n):
        """The value of `n` cards of a symbol in the hand if the deal continues."""
        if sym in OTHERS_IN_HAND:
            return OTHERS_IN_HAND[sym] * n
        if sym in self.own_melds:
            return LAY_OFF * n
        availability = min(1.0, (self.unseen[sym] + 1) / 4)
        value = NATURALS_IN_HAND[min(n, 3)] + MORE_NATURALS * max(0, n - 3)
        return value * availability + 0.3 * n * points(sym)

    def cost(self, cards):
        """The loss of value if these cards (a Counter) leave the hand."""
        total = 0.0
        for sym, n in cards.items():
            value = self.hand_value(sym, self.hand[sym])
            value -= self.hand_value(sym, self.hand[sym] - n)
            total += self.continue_chance * value - self.end_chance * points(sym) * n
        return total

    def bonus(self, naturals, wild):
        """The canasta bonus of a meld, or the value of a smaller one as progress towards it."""
        full = 300.0 if wild else 500.0
        size = naturals + wild
        return full if size >= 7 else full * PROGRESS[size] * self.continue_chance

    def gain(self, shape, added, cards):
        """The gain from playing `cards` (a Counter) when a meld of `shape` grows by `added`."""
        (naturals, wild), (new_naturals, new_wild) = shape, added
        laid = self.end_chance * sum(points(sym) * n for sym, n in cards.items())
        after = self.bonus(naturals + new_naturals, wild + new_wild)
        return after - self.bonus(naturals, wild) + laid - self.cost(cards)

    def shape(self, rank, number):
        """The shape of an own meld; (0, 0) if there is none with this number (None: 1)."""
        melds = self.own_melds.get(rank, [])
        n = int(number or 1)
        return melds[n - 1] if n <= len(melds) else (0, 0)

    def choice_value(self, move):
        """The value of drawing, of taking the pile in one of the ways, or of passing."""
        if move in ("draw", "pass"):
            return DRAW * self.options["draw"] * self.continue_chance if move == "draw" else 0.0
        take, top = TAKE.fullmatch(move), self.pile[-1]
        cards = Counter(take["cards"] or "")
        added = (1 + cards[top], sum(cards.values()) - cards[top])
        gain = self.gain(self.shape(top, take["number"]), added, cards)
        gain += self.end_chance * points(top)
        if "/1v2" in self.view["format"] and len(self.view["sides"]) == 3:
            gain += ALONE * self.continue_chance
        first_meld = self.first_meld_value(top, added, cards) if self.need else 0.0
        return gain + self.rest_value() + first_meld

    def rest_value(self):
        """The value of the pile below its top card."""
        hand, total = self.hand.copy(), 0.0
        for sym in self.pile[:-1]:
            if sym == "?":
                total += UNKNOWN_CARD * self.continue_chance
                continue
            hand[sym] += 1
            fits = sym in self.own_melds or hand[sym] >= 3 or sym in "2X"
            value = self.hand_value(sym, hand[sym]) - self.hand_value(sym, hand[sym] - 1)
            laid = self.end_chance * points(sym) * (1 if fits else -1)
            total += self.continue_chance * value + laid
            total += 90 * (sym == "R")
        return total

    def first_meld_value(self, top, added, cards):
        """The value of the first meld that begins when these cards take the pile."""
        need = self.need - sum(points(sym) * n for sym, n in cards.items())
        need -= points(top) if self.options["topcounts"] else 0
        if need <= 0:
            return FIRST_MELD_BY_TAKING[self.players]
        best = FirstMeld(self, self.hand - cards, {top: added}, need).best
        return FIRST_MELD_BY_TAKING[self.players] + (best[0] if best else -100.0)

    def next_step(self, legal):
        """The next meld step, or the discard."""
        if "R" in legal:
            return "R"
        asks = [move for move in legal if move[:3] == "ask"]
        melds = [move for move in legal if ":" in move and move not in asks]
        discards = [move for move in legal if move[0] == "-"]
        out = self.can_go_out()
        partners = [seat for seat in self.view["sides"][self.side] if seat != self.seat]
        partner_cards = [self.view["hand_sizes"][seat] for seat in partners]
        if out and asks and max(partner_cards) >= MIN_ASK_CARDS:
            return asks[0]
        if self.need and melds:
            move = self.first_meld_step(melds, bool(discards))
            if move or discards:
                return move or max(discards, key=self.discard_value)
        if melds:
            value, move = max((self.meld_value(move), move) for move in melds)
            if value > 0 or out or not discards:
                return move
        return max(discards, key=self.discard_value) if discards else legal[-1]

    def can_go_out(self):
        """Whether the seat can meld all its cards but one, and its side then has enough canastas.

        If a partner has answered, the answer decides (CAN-57).
        """
        step = self.view["step"]
        if self.need or step["refused"] or step["committed"]:
            return step["committed"]
        unfit = 0  # cards that fit no meld
        wild_needed = wild_room = 0  # wild cards that the melds need, and that they can hold
        missing = []  # for each meld, the number of cards that a canasta needs
        for sym in set(self.hand) | set(self.own_melds):
            n = 0 if sym in "2X" else self.hand[sym]
            naturals, wild = self.shape(sym, 1)
            if not naturals and n < 3:
                pair = n == 2 and sym in NATURAL
                unfit += n * (not pair)
                wild_needed += pair
                wild_room += 2 * pair
            elif sym in NATURAL:
                wild_room += max(0, 3 - wild)
                missing.append(max(0, 7 - naturals - wild - n))
        if len(missing) < self.options["canastas"]:
            return False
        wild_needed += sum(sorted(missing)[: self.options["canastas"]])
        wild_cards = self.hand["2"] + self.hand["X"]
        return unfit <= 1 and wild_needed <= wild_cards <= wild_room + 1 - unfit

    def meld_value(self, move):
        """The gain per card of a meld step and of the later steps in the same meld: all natural
        cards of the rank, or the best number of wild cards."""
        rank, number, text = MELD.fullmatch(move).groups()
        shape, n = self.shape(rank, number), self.hand[rank]
        if text in (rank, rank * 3):
            return self.gain(shape, (n, 0), Counter({rank: n})) / n
        if len(text) == 3:
            return self.gain((0, 0), (2, 1), Counter(text))
        other = "X" if text == "2" else "2"
        wild = text * self.hand[text] + other * self.hand[other]
        limit = min(len(wild), max(1, 3 - shape[1]))
        return max(self.gain(shape, (0, k), Counter(wild[:k])) / k for k in range(1, limit + 1))

    def first_meld_step(self, melds, can_discard):
        """The next step of the best first meld; None if waiting is better and possible."""
        own = {rank: of_rank[0] for rank, of_rank in self.own_melds.items()}
        best = FirstMeld(self, self.hand, own, self.need).best
        if best is None:
            return None
        if can_discard and best[0] + FIRST_MELD[self.players] * self.continue_chance <= 0:
            return None
        for rank, n, wild in best[1]:
            text = (rank * min(n, 3) + wild)[: 1 if rank in own else 3]
            if f"{rank}:{text}" in melds:
                return f"{rank}:{text}"
        return None

    def discard_value(self, move):
        """The value of a discard: it should cost little and not give the pile to an opponent."""
        sym, size, next_side = move[1], self.view["pile"]["size"], self.side_of(self.next_seat)
        pile = self.chance_of_taking(sym) * PILE_CARD * (size + 1)
        value = -self.cost(Counter({sym: 1})) + (pile if next_side == self.side else -pile)
        if sym in "2XR" and not self.view["pile"]["frozen"] and next_side != self.side:
            share = 0.5 if self.own_melds else 1.0  # with melds, freezing also hinders this side
            value += share * FREEZE * size * self.view["opened"][next_side]
        return value


class FirstMeld:
    """Search for the first meld that reaches `need` points at the least loss.

    `best` is (gain, steps), each step (rank, number of naturals, wild cards), or None.
    """

    def __init__(self, judge, hand, melds, need):
        self.judge, self.hand, self.melds, self.need = judge, hand, melds, need
        self.wild_cards = hand["2"] + hand["X"]
        # One card must remain for the discard, unless the rest of the pile is still to come.
        self.max_cards = sum(hand.values()) - (0 if judge.view["step"]["pending"] else 1)
        self.best = None
        self.search(0, [])

    def search(self, start, chosen):
        """Try the ranks from `start` on: all natural cards of a rank with up to three wild cards,
        or none of it. `chosen` lists (rank, naturals, wild cards)."""
        wild = sum(w for _, _, w in chosen)
        if wild > self.wild_cards or wild + sum(n for _, n, _ in chosen) > self.max_cards:
            return
        if self.suffices(chosen, wild):
            return
        for i in range(start, len(NATURAL)):
            rank = NATURAL[i]
            n, (naturals, old_wild) = self.hand[rank], self.melds.get(rank, (0, 0))
            for w in range(min(3 - old_wild, self.wild_cards) + 1):
                if n + w and naturals + n >= 2 and naturals + old_wild + n + w >= 3:
                    self.search(i + 1, [*chosen, (rank, n, w)])

    def suffices(self, chosen, wild):
        """Whether the melds reach the minimum; if so, compare them with the best so far.

        They use as few jokers as possible.
        """
        need = self.need - sum(n * points(rank) for rank, n, _ in chosen)
        for jokers in range(max(0, wild - self.hand["2"]), min(wild, self.hand["X"]) + 1):
            if 20 * wild + 30 * jokers < need:
                continue
            cards = "X" * jokers + "2" * (wild - jokers)
            value = -self.judge.continue_chance * sum(OTHERS_IN_HAND[sym] for sym in cards)
            steps = []
            for rank, n, w in chosen:
                shape = self.melds.get(rank, (0, 0))
                value += self.judge.gain(shape, (n, w), Counter({rank: n}))
                steps.append((rank, n, cards[:w]))
                cards = cards[w:]
            if self.best is None or value > self.best[0]:
                self.best = (value, steps)
            return True
        return False


def symbol(card):
    """A card's symbol in moves (CAN-2)."""
    return "R" if card in ("3D", "3H") else card[0]


def points(sym):
    return POINTS.get(sym, 10)


def shapes(melds):
    """By rank, the shapes of a side's melds."""
    by_rank = {}
    for meld in melds:
        shape = (len(meld["cards"]) - meld["wild"], meld["wild"])
        by_rank.setdefault(meld["rank"], []).append(shape)
    return by_rank
