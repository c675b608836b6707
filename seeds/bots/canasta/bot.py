"""Plays Canasta by weighing each step: guards the pile, keeps pairs, builds canastas, goes out.

Every card has a worth in the hand and another on the table; a step is good if the second is more.
How near the end of the deal seems decides how much card points count. A discard is weighed by its
own worth and by the chance that the next player takes the pile with it, which follows from the
cards not seen and from those that this player is known to have taken or thrown.
"""

import re
from collections import Counter
from math import comb

from engine import Format

NATURAL = "A456789TJQK"
POINTS = {"A": 20, "2": 20, "X": 50, "3": 5, "4": 5, "5": 5, "6": 5, "7": 5, "R": 0}
PROGRESS = (0.0, 0.0, 0.0, 0.15, 0.25, 0.4, 0.65, 1.0)
"""Part of a canasta's bonus that a meld of so many cards is worth."""
HELD = (0.0, 3.0, 35.0, 50.0)
"""Worth in the hand of so many naturals of a rank: pairs take piles."""
SINGLE = {"2": 65.0, "X": 85.0, "3": 10.0, "R": 10.0}
"""Worth in the hand of other cards. A black three is a discard that nobody can take."""
HELD_MORE = 15.0  # worth in the hand of each natural beyond three
FITTING = 20.0  # of a card that can be laid off
CARD = 20.0  # of a card of the pile about which nothing is known
DRAW = 30.0  # of a card drawn: it may be wild, or bring a red three
PILE = 22.0  # of the pile to an opponent, for each card
FREEZE = 5.0  # of freezing it, for each card, if the next opponent could take it easily
OPEN, OPEN_TAKEN = {4: -120.0, 6: 100.0}, {4: -80.0, 6: 0.0}
"""Worth of a first meld, without and with the pile, by players (at most so many): it breaks the
pairs that take larger piles, but at a table for six the deal is over before one can wait."""
ALONE = -400.0  # of the first taking in 1v2: the other two then score together
OUT_NEXT = {1: 0.6, 2: 0.5, 3: 0.4, 4: 0.25, 5: 0.15}
"""The chance that somebody with so many cards goes out before our next turn."""
ASK_FROM = 5  # cards in a partner's hand from which on it is asked before going out
MOST_LEFT = 110  # card points in the hand above which a partner does not want the deal to end

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
            return "yes" if judge.may_end() else "no"
        if view["phase"] == "choose":
            return max(legal, key=judge.first_part)
        return judge.step(legal)


class Memory:
    """What the events tell and a view does not: the pile, and who took and threw what."""

    def __init__(self):
        self.pile = []
        self.taken = {}  # by seat: cards known to be in the hand
        self.thrown = {}  # by seat: discards of this deal

    def event(self, event):
        kind, seat = event["type"], event.get("seat")
        cards = [symbol(card) for card in event.get("cards") or event.get("with") or []]
        held = self.taken.setdefault(seat, Counter())
        if kind == "deal":
            self.__init__()
        elif kind == "upcard":
            self.pile = cards
        elif kind == "discard":
            cards = [symbol(event["card"])]
            self.pile += cards
            self.thrown.setdefault(seat, set()).update(cards)
        elif kind == "take":
            held.update(self.pile[:-1])
            self.pile = []
        if kind in ("discard", "take", "meld"):
            self.taken[seat] = held - Counter(cards)


class Table:
    """One decision: what is known and how likely the rest is."""

    def __init__(self, options, view, memory):
        self.view, self.options = view, options
        self.seat = view["seat"]
        self.hand = Counter(symbol(card) for card in view["hand"])
        self.melds = [shapes(melds) for melds in view["melds"]]
        self.side = self.side_of(self.seat)
        self.mine = self.melds[self.side]
        chairs, step = view["chairs"], 1 if options["direction"] == "cw" else -1
        self.next = chairs[(chairs.index(self.seat) + step) % len(chairs)]
        self.known = memory.taken.get(self.next, Counter())
        self.thrown = memory.thrown.get(self.next, ())
        cards, top = view["pile"]["cards"], view["pile"]["top"]
        self.pile = memory.pile if cards is None else [symbol(card) for card in cards]
        if len(self.pile) != view["pile"]["size"]:
            self.pile = ["?"] * (view["pile"]["size"] - 1) + ([symbol(top)] if top else [])
        self.count_unseen(memory)
        self.soon = self.end_is_near()

    def count_unseen(self, memory):
        """How many cards of each symbol are hidden."""
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
        return sum(sum(shape) >= 7 for found in self.melds[side].values() for shape in found)

    def end_is_near(self):
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
                chance = max(chance, ready * OUT_NEXT.get(view["hand_sizes"][seat], 0.04))
        return chance

    def takes(self, sym):
        """The chance that the next seat takes the pile with this card on top."""
        if sym not in NATURAL:
            return 0.0
        view, side = self.view, self.side_of(self.next)
        opened = view["opened"][side]
        chance = self.holds(sym, 2) * (0.4 if sym in self.thrown else 1.0)
        if not view["pile"]["frozen"] and (opened or not self.options["startfrozen"]):
            melds = self.melds[side].get(sym, [])
            if any(self.options["lay"] or sum(shape) < 7 for shape in melds):
                chance = 1.0
            elif self.options["pair"] == "frozen":
                chance = max(chance, 0.6 * self.holds(sym, 1))  # with a wild card
        if not opened:
            number = self.next if len(view["minimum"]) > len(view["sides"]) else side  # 1v2
            chance *= {15: 0.9, 50: 0.7, 90: 0.5}.get(view["minimum"][number], 0.35)
        return chance

    def holds(self, sym, count):
        """The chance that the next seat holds `count` cards of a symbol."""
        size = self.view["hand_sizes"][self.next] - sum(self.known.values())
        size = max(0, min(size, self.hidden))
        here = self.unseen[sym]
        fewer = sum(
            comb(here, k) * comb(self.hidden - here, size - k)
            for k in range(min(count - self.known[sym], here + 1, size + 1))
        )
        return 1.0 - fewer / comb(self.hidden, size)


class Judge(Table):
    """What the steps of one decision are worth."""

    def __init__(self, options, view, memory):
        super().__init__(options, view, memory)
        self.goes_on = 1.0 - self.soon
        self.need = view["step"]["need"]
        self.players = 4 if len(view["chairs"]) <= 4 else 6

    def may_end(self):
        """Whether this hand's partner may go out."""
        return sum(points(sym) * n for sym, n in self.hand.items()) <= MOST_LEFT or self.soon > 0.3

    def held(self, sym, n):
        """Worth of `n` cards of a symbol in the hand, if the deal goes on."""
        if sym in SINGLE:
            return SINGLE[sym] * n
        if sym in self.mine:
            return FITTING * n
        live = min(1.0, (self.unseen[sym] + 1) / 4)
        return (HELD[min(n, 3)] + HELD_MORE * max(0, n - 3)) * live + 0.3 * n * points(sym)

    def cost(self, cards):
        """What these cards (a Counter) are worth more in the hand than away."""
        total = 0.0
        for sym, n in cards.items():
            worth = self.held(sym, self.hand[sym]) - self.held(sym, self.hand[sym] - n)
            total += self.goes_on * worth - self.soon * points(sym) * n
        return total

    def bonus(self, naturals, wild):
        """What a meld's size is worth: on the way to a canasta less, the nearer the end is."""
        full = 300.0 if wild else 500.0
        return full if naturals + wild >= 7 else full * PROGRESS[naturals + wild] * self.goes_on

    def gain(self, shape, added, cards):
        """What it brings to lay `cards`, so that a meld of `shape` grows by `added`."""
        (a, w), (x, y) = shape, added
        laid = self.soon * sum(points(sym) * n for sym, n in cards.items())
        return self.bonus(a + x, w + y) - self.bonus(a, w) + laid - self.cost(cards)

    def shape(self, rank, number):
        melds = self.mine.get(rank, [])
        at = int(number or 1)
        return melds[at - 1] if at <= len(melds) else (0, 0)

    def first_part(self, move):
        """What it is worth to draw, to take the pile so, or to pass."""
        if move in ("draw", "pass"):
            return DRAW * self.options["draw"] * self.goes_on if move == "draw" else 0.0
        found, top = TAKE.fullmatch(move), self.pile[-1]
        cards = Counter(found["cards"] or "")
        added = (1 + cards[top], sum(cards.values()) - cards[top])
        gain = self.gain(self.shape(top, found["number"]), added, cards) + self.soon * points(top)
        if "/1v2" in self.view["format"] and len(self.view["sides"]) == 3:
            gain += ALONE * self.goes_on
        return gain + self.rest_worth() + (self.opening(top, added, cards) if self.need else 0.0)

    def rest_worth(self):
        """What the pile below its top is worth."""
        have, total = self.hand.copy(), 0.0
        for sym in self.pile[:-1]:
            if sym == "?":
                total += CARD * self.goes_on
                continue
            have[sym] += 1
            fits = sym in self.mine or have[sym] >= 3 or sym in "2X"
            worth = self.held(sym, have[sym]) - self.held(sym, have[sym] - 1)
            total += self.goes_on * worth + self.soon * points(sym) * (1 if fits else -1)
            total += 90 * (sym == "R")
        return total

    def opening(self, top, added, cards):
        """Worth of the first meld that a taking begins."""
        need = self.need - sum(points(sym) * n for sym, n in cards.items())
        need -= points(top) if self.options["topcounts"] else 0
        if need <= 0:
            return OPEN_TAKEN[self.players]
        found = FirstMeld(self, self.hand - cards, {top: added}, need).best
        return OPEN_TAKEN[self.players] + (found[0] if found else -100.0)

    def step(self, legal):
        """The next meld step, or the discard."""
        if "R" in legal:
            return "R"
        asks = [move for move in legal if move[:3] == "ask"]
        melds = [move for move in legal if ":" in move and move not in asks]
        discards = [move for move in legal if move[0] == "-"]
        out = self.goes_out()
        partners = [seat for seat in self.view["sides"][self.side] if seat != self.seat]
        if out and asks and max(self.view["hand_sizes"][seat] for seat in partners) >= ASK_FROM:
            return asks[0]
        if self.need and melds:
            move = self.first_meld(melds, bool(discards))
            if move or discards:
                return move or max(discards, key=self.discard)
        if melds:
            worth, move = max((self.meld(move), move) for move in melds)
            if worth > 0 or out or not discards:
                return move
        return max(discards, key=self.discard) if discards else legal[-1]

    def goes_out(self):
        """Whether all cards but one can be laid, and the side then has its canastas."""
        step = self.view["step"]
        if self.need or step["refused"] or step["committed"]:
            return step["committed"]
        loose = wanted = room = 0  # cards that do not fit; wild cards needed, and at most used
        lacking = []  # by meld: cards to a canasta
        for sym in set(self.hand) | set(self.mine):
            n = 0 if sym in "2X" else self.hand[sym]
            a, w = self.shape(sym, 1)
            if not a and n < 3:
                pair = n == 2 and sym in NATURAL
                loose, wanted, room = loose + n * (not pair), wanted + pair, room + 2 * pair
            elif sym in NATURAL:
                room += max(0, 3 - w)
                lacking.append(max(0, 7 - a - w - n))
        if len(lacking) < self.options["canastas"]:
            return False
        wanted += sum(sorted(lacking)[: self.options["canastas"]])
        return loose <= 1 and wanted <= self.hand["2"] + self.hand["X"] <= room + 1 - loose

    def meld(self, move):
        """Worth of a meld step; of naturals all are laid, of wild cards as many as do best."""
        rank, number, text = MELD.fullmatch(move).groups()
        shape, n = self.shape(rank, number), self.hand[rank]
        if text in (rank, rank * 3):
            return self.gain(shape, (n, 0), Counter({rank: n})) / n
        if len(text) == 3:
            return self.gain((0, 0), (2, 1), Counter(text))
        other = "X" if text == "2" else "2"
        wild = text * self.hand[text] + other * self.hand[other]
        most = min(len(wild), max(1, 3 - shape[1]))
        return max(self.gain(shape, (0, k), Counter(wild[:k])) / k for k in range(1, most + 1))

    def first_meld(self, melds, free):
        """The next step of the best first meld; None: wait, if the seat is free to."""
        table = {rank: found[0] for rank, found in self.mine.items()}
        best = FirstMeld(self, self.hand, table, self.need).best
        if best is None or (free and best[0] + OPEN[self.players] * self.goes_on <= 0):
            return None
        for rank, n, wild in best[1]:
            text = (rank * min(n, 3) + wild)[: 1 if rank in table else 3]
            if f"{rank}:{text}" in melds:
                return f"{rank}:{text}"
        return None

    def discard(self, move):
        """What a discard is worth: it should cost little, and be safe."""
        sym, size, side = move[1], self.view["pile"]["size"], self.side_of(self.next)
        risk = self.takes(sym) * PILE * (size + 1)
        value = -self.cost(Counter({sym: 1})) + (risk if side == self.side else -risk)
        if sym in "2XR" and not self.view["pile"]["frozen"] and side != self.side:
            ours = 0.5 if self.mine else 1.0
            value += ours * FREEZE * size * self.view["opened"][side]
        return value


class FirstMeld:
    """The melds that reach `need` points at the least loss: (gain, [(rank, naturals, wild)])."""

    def __init__(self, judge, hand, melds, need):
        self.judge, self.hand, self.melds, self.need = judge, hand, melds, need
        self.most = hand["2"] + hand["X"]
        self.free = sum(hand.values()) - (0 if judge.view["step"]["pending"] else 1)
        self.best = None
        self.search(0, [])

    def search(self, at, chosen):
        """Go through the ranks, each with all its naturals and up to three wild cards, or none."""
        wild = sum(y for _, _, y in chosen)
        if wild > self.most or wild + sum(n for _, n, _ in chosen) > self.free:
            return
        if self.enough(chosen, wild):
            return
        for i in range(at, len(NATURAL)):
            rank = NATURAL[i]
            n, (a, w) = self.hand[rank], self.melds.get(rank, (0, 0))
            for y in range(min(3 - w, self.most) + 1):
                if n + y and a + n >= 2 and a + w + n + y >= 3:
                    self.search(i + 1, [*chosen, (rank, n, y)])

    def enough(self, chosen, wild):
        """Whether the points suffice, with as few jokers as possible; then it may be the best."""
        need = self.need - sum(n * points(rank) for rank, n, _ in chosen)
        for jokers in range(max(0, wild - self.hand["2"]), min(wild, self.hand["X"]) + 1):
            if 20 * wild + 30 * jokers < need:
                continue
            cards = "X" * jokers + "2" * (wild - jokers)
            value = -self.judge.goes_on * sum(SINGLE[sym] for sym in cards)
            steps = []
            for rank, n, y in chosen:
                shape = self.melds.get(rank, (0, 0))
                value += self.judge.gain(shape, (n, y), Counter({rank: n}))
                steps.append((rank, n, cards[:y]))
                cards = cards[y:]
            if self.best is None or value > self.best[0]:
                self.best = (value, steps)
            return True
        return False


def symbol(card):
    """A card as moves write it."""
    return "R" if card in ("3D", "3H") else card[0]


def points(sym):
    return POINTS.get(sym, 10)


def shapes(melds):
    """By rank the (naturals, wild cards) of a side's melds."""
    found = {}
    for meld in melds:
        shape = (len(meld["cards"]) - meld["wild"], meld["wild"])
        found.setdefault(meld["rank"], []).append(shape)
    return found
