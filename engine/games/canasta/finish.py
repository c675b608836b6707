"""Can the turn be finished? The exact tests of section 10 (CAN-87 to CAN-93; proof: CAN-92)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.games.canasta.kinds import (
    BLACK,
    JOKER,
    KINDS,
    NATURAL,
    POINTS,
    RANKED,
    RED,
    TWO,
    UNKNOWN,
    is_wild,
)
from engine.games.canasta.options import Rules

CANASTA = 7  # cards (CAN-44)
Shape = tuple[tuple[int, int], ...]  # a side's melds of one rank: naturals and wild cards of each
Ways = list[tuple[int, int, int]]  # naturals added, wild cards added, most canastas then
Key = tuple[bool, bool, bool]  # black threes, wildcanasta, wildblack3


def grown(key: Key, a: int, w: int, x: int, y: int) -> int:
    """CAN-88 for one meld of `a` naturals and `w` wild cards that gets `x` and `y`.

    1: it is a canasta then, 0: it is none, -1: it cannot be done. (0, 0) is no meld.
    """
    black, wildcanasta, wildblack3 = key
    size = a + w + x + y
    if x or y:
        if a + x < 2 or size < 3:  # CAN-36, CAN-37
            return -1
        if y and w + y > 3 and not (wildcanasta and a + x + max(3, w) >= CANASTA):  # CAN-38
            return -1
        if black and not wildblack3 and (y or a + x < 3):  # CAN-40
            return -1
    return 1 if size >= CANASTA else 0


def key_of(rules: Rules, kind: int) -> Key:
    """What `grown` must know about rank and rules."""
    return (kind == BLACK, rules.wildcanasta, rules.wildblack3)


def ways(rules: Rules, kind: int, shape: Shape, most: int, wild: int) -> Ways:
    """G of CAN-88: all (x, y) with x up to `most`, y up to `wild`, that can be added to a rank."""
    key = key_of(rules, kind)
    if rules.tworank:
        return _spread(key, shape, most, wild, (0, 0))
    a, w = shape[0] if shape else (0, 0)
    found: Ways = []
    for x in range(most + 1):
        for y in range(wild + 1):
            value = grown(key, a, w, x, y)
            if value >= 0:
                found.append((x, y, value))
    return found


Spread = dict[tuple[int, int], int]  # naturals and wild cards added: most canastas


@lru_cache(maxsize=4096)
def _spread(key: Key, shape: Shape, most: int, wild: int, extra: tuple[int, int]) -> Ways:
    """CAN-88 with `tworank`: over the existing melds and any number of new ones.

    With an `extra` natural or wild card, one meld that is there then gets that card afterwards.
    """
    plain: Spread = {(0, 0): 0}
    fitted: Spread = {}  # with the extra card laid off
    for a, w in shape:
        growths = _growths(key, a, w, most, wild)
        fits = _fitting(key, a, w, growths, extra)
        after: Spread = {}
        _reach(after, fitted, growths, most, wild)
        _reach(after, plain, fits, most, wild)
        fitted = after
        after = {}
        _reach(after, plain, growths, most, wild)
        plain = after
    growths = [way for way in _growths(key, 0, 0, most, wild) if way[0]]
    fits = _fitting(key, 0, 0, growths, extra)
    for x in range(most + 1):  # a new meld has naturals (CAN-37): so once through is enough
        at_x = {at: value for at, value in plain.items() if at[0] == x}
        fitted_x = {at: value for at, value in fitted.items() if at[0] == x}
        _reach(fitted, fitted_x, growths, most, wild)
        _reach(fitted, at_x, fits, most, wild)
        _reach(plain, at_x, growths, most, wild)
    best = fitted if any(extra) else plain
    return [(x, y, value) for (x, y), value in sorted(best.items())]


def _growths(key: Key, a: int, w: int, most: int, wild: int) -> Ways:
    """What one meld can get, and whether it is a canasta then."""
    found = [(x, y, grown(key, a, w, x, y)) for x in range(most + 1) for y in range(wild + 1)]
    return [way for way in found if way[2] >= 0]


def _fitting(key: Key, a: int, w: int, growths: Ways, extra: tuple[int, int]) -> Ways:
    """The growths after which the extra card fits on the meld."""
    if not any(extra):
        return []
    x, y = extra
    fits = [
        (more, wild, grown(key, a + more, w + wild, x, y))
        for more, wild, _ in growths
        if a + more > 0
    ]
    return [way for way in fits if way[2] >= 0]


def _reach(into: Spread, best: Spread, growths: Ways, most: int, wild: int) -> None:
    """Enter into `into` what one meld's growth makes of `best`."""
    for (used, jokers), canastas in best.items():
        for x, y, value in growths:
            at = (used + x, jokers + y)
            if at[0] <= most and at[1] <= wild and canastas + value > into.get(at, -1):
                into[at] = canastas + value


class Stand:
    """Where the seat in turn stands, now or after a step that is being tested (CAN-87)."""

    __slots__ = (
        *("committed", "counted", "discard", "exempt", "had", "melded", "minimum"),
        *("n", "pending", "refused", "rules", "shapes"),
    )

    def __init__(self, rules: Rules, n: list[int], shapes: list[Shape], minimum: int) -> None:
        self.rules: Rules = rules
        self.n: list[int] = n  # hand, counted by kind
        self.shapes: list[Shape] = shapes  # the side's melds, by kind
        self.minimum: int = minimum  # M
        self.pending: list[int] = []  # Q: kinds, red threes left out
        self.counted: int = 0  # S
        self.had: bool = any(shapes)  # the side had its first meld before this turn
        self.melded: bool = False  # something was melded or taken in this turn
        self.discard: bool = True  # the turn has a discard (not CAN-63 `meld`)
        self.committed: bool = False
        self.refused: bool = False
        self.exempt: bool = False

    def copy(self) -> Stand:
        """An independent copy."""
        other = Stand(self.rules, self.n[:], self.shapes[:], self.minimum)
        other.pending = self.pending
        other.counted = self.counted
        other.had = self.had
        other.melded = self.melded
        other.discard = self.discard
        other.committed = self.committed
        other.refused = self.refused
        other.exempt = self.exempt
        return other

    @property
    def size(self) -> int:
        """Cards in hand."""
        return sum(self.n)

    @property
    def need(self) -> int:
        """Points missing for the first meld."""
        return 0 if self.had else max(0, self.minimum - self.counted)

    @property
    def canastas(self) -> int:
        """Canastas that the side has."""
        return sum([a + w >= CANASTA for shape in self.shapes for a, w in shape])

    def lay(self, kind: int, number: int, cards: Sequence[int], top: int = -1) -> None:
        """Meld the hand cards of these kinds, and the top card of the pile, on meld `number`.

        The meld is new if its number is one more than there are.
        """
        wild = naturals = 0
        for card in cards:
            self.n[card] -= 1
            if is_wild(card):
                wild += 1
            else:
                naturals += 1
            if not self.had:
                self.counted += POINTS[card]  # CAN-34
        if top >= 0:
            naturals += 1
            if not self.had and self.rules.topcounts:
                self.counted += POINTS[top]
        shape = list(self.shapes[kind])
        a, w = shape[number - 1] if number <= len(shape) else (0, 0)
        shape[number - 1 : number] = [(a + naturals, w + wild)]
        self.shapes[kind] = tuple(shape)
        self.melded = True
        if kind == BLACK:
            self.committed = True  # CAN-40
        self.arrive()

    def arrive(self) -> None:
        """CAN-35: with the minimum reached the rest of the pile comes to hand."""
        if self.pending and not self.need:
            for kind in self.pending:
                self.n[kind] += 1
            self.pending = []


def can_finish(stand: Stand) -> bool:
    """CAN-91: the turn can be finished legally."""
    return can_stay(stand) or can_go_out(stand)


def can_stay(stand: Stand) -> bool:
    """Test S (CAN-89): the seat can end its turn with cards in hand (CAN-45, CAN-48).

    With nothing to reach it is CAN-47 in short: two cards are left.
    """
    if stand.committed:
        return False
    keep = 2 if stand.discard else 1
    size = stand.size
    free = size - max(0, keep - len(stand.pending))
    if free < 0:
        return False
    need = stand.need
    return need == 0 or worth(stand, free, need) >= need


def worth(stand: Stand, most: int, enough: int) -> int:
    """B(N) of CAN-89: the most points that up to `most` hand cards can be melded for.

    Stops early with any total of `enough` or more.
    """
    n = stand.n
    wild = n[TWO] + n[JOKER]
    bonus = [min(y, n[JOKER]) * POINTS[JOKER] + max(0, y - n[JOKER]) * POINTS[TWO]
             for y in range(wild + 1)]  # fmt: skip
    best: dict[tuple[int, int], int] = {(0, 0): 0}  # cards, wild cards among them -> points
    top = 0
    for kind in NATURAL:
        if n[kind] < 2 and not stand.shapes[kind]:
            continue
        value = POINTS[kind]
        additions = ways(stand.rules, kind, stand.shapes[kind], n[kind], wild)
        found: dict[tuple[int, int], int] = {}
        for (used, jokers), points in best.items():
            for x, y, _ in additions:
                at = (used + x + y, jokers + y)
                total = points + x * value
                if at[0] > most or at[1] > wild or total <= found.get(at, -1):
                    continue
                found[at] = total
                top = max(top, total + bonus[at[1]])
        if top >= enough:
            return top
        best = found
    return top


def can_go_out(stand: Stand) -> bool:
    """Test O (CAN-90): the seat can go out in this turn (CAN-50)."""
    if stand.refused or len(stand.pending) > 1:
        return False
    if stand.pending:
        return _out_with_pending(stand)
    stuck = [kind for kind in range(KINDS + 1) if stand.n[kind] and _stuck(stand, kind)]
    if len(stuck) > 1 or (stuck and not stand.discard):
        return False
    if stuck:
        return _all_laid(stand, stuck[0])
    if _all_laid(stand, -1):
        return True
    return stand.discard and any(
        stand.n[kind] > 0 and _all_laid(stand, kind) for kind in range(KINDS)
    )


def _stuck(stand: Stand, kind: int) -> bool:
    """Whether not all cards of this kind can be melded, whatever wild cards are added."""
    if is_wild(kind):
        return False
    if kind in (RED, UNKNOWN):
        return True
    count, wild = stand.n[kind], stand.n[TWO] + stand.n[JOKER]
    return not any(x == count for x, _, _ in _complete(stand, kind, count, wild))


def _complete(stand: Stand, kind: int, count: int, wild: int) -> Ways:
    """The ways that add all `count` naturals of a rank."""
    shape = stand.shapes[kind]
    if not stand.rules.tworank:
        key = key_of(stand.rules, kind)
        a, w = shape[0] if shape else (0, 0)
        values = [(count, y, grown(key, a, w, count, y)) for y in range(wild + 1)]
        return [way for way in values if way[2] >= 0]
    return [way for way in ways(stand.rules, kind, shape, count, wild) if way[0] == count]


def _all_laid(stand: Stand, discard: int) -> bool:
    """CAN-90, nothing pending: all but the card of kind `discard` (-1: none) can be melded."""
    n = stand.n[:]
    if discard >= 0:
        n[discard] -= 1
    if n[RED] or n[UNKNOWN]:
        return False
    points = sum([count * POINTS[kind] for kind, count in enumerate(n)])
    if not (stand.had or stand.exempt or stand.counted + points >= stand.minimum):
        return False
    wild = n[TWO] + n[JOKER]
    best: list[int] = [0] + [-1] * wild  # by wild cards used: the most canastas
    for kind in RANKED:
        if not n[kind] and not stand.shapes[kind]:
            continue
        additions = _complete(stand, kind, n[kind], wild)
        best = _add_rank(best, additions)
    return best[wild] >= stand.rules.canastas


def _add_rank(best: Sequence[int], additions: Ways) -> list[int]:
    """One more rank in the table of CAN-90: wild cards used -> most canastas, -1: impossible."""
    found = [-1] * len(best)
    for used, canastas in enumerate(best):
        if canastas < 0:
            continue
        for _, y, value in additions:
            if used + y < len(best) and canastas + value > found[used + y]:
                found[used + y] = canastas + value
    return found


def _out_with_pending(stand: Stand) -> bool:
    """CAN-90, one card pending: the whole hand is melded, then that card laid off or discarded."""
    n = stand.n
    if n[BLACK] or n[RED] or n[UNKNOWN]:
        return False
    points = sum([count * POINTS[kind] for kind, count in enumerate(n)])
    if stand.counted + points < stand.minimum:
        return False
    wild = n[TWO] + n[JOKER]
    card = stand.pending[0]
    plain: list[int] = [0] + [-1] * wild
    fitted: list[int] = [-1] * (wild + 1)  # with the pending card laid off
    for kind in RANKED:
        if not n[kind] and not stand.shapes[kind]:
            continue
        additions = _complete(stand, kind, n[kind], wild)
        after = _add_rank(plain, _with_card(stand, kind, card, wild))
        fitted = [max(pair) for pair in zip(_add_rank(fitted, additions), after, strict=True)]
        plain = _add_rank(plain, additions)
    return max(plain[wild], fitted[wild]) >= stand.rules.canastas


def _with_card(stand: Stand, kind: int, card: int, wild: int) -> Ways:
    """The complete ways of a rank after which the pending card is laid off on one of its melds."""
    if not is_wild(card) and card != kind:
        return []
    key, shape, count = key_of(stand.rules, kind), stand.shapes[kind], stand.n[kind]
    extra = (0, 1) if is_wild(card) else (1, 0)
    if stand.rules.tworank:
        return [way for way in _spread(key, shape, count, wild, extra) if way[0] == count]
    a, w = shape[0] if shape else (0, 0)
    return _fitting(key, a, w, _complete(stand, kind, count, wild), extra)
