"""Exact tests of whether the turn can be finished, section 10 (CAN-87 to CAN-93; proof: CAN-92)."""

from __future__ import annotations

from functools import lru_cache

from engine.games.canasta.card_kinds import (
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
from engine.games.canasta.options import CanastaRules
from engine.games.canasta.turn_state import CANASTA, Shape, TurnState

Ways = list[tuple[int, int, int]]  # naturals added, wild cards added, maximum of canastas
Row = list[int]  # by wild cards added: maximum of canastas, -1: impossible
Key = tuple[bool, bool, bool]  # black threes, wildcanasta, wildblack3


def grown(key: Key, a: int, w: int, x: int, y: int) -> int:
    """CAN-88 for a meld of `a` naturals and `w` wild cards that gets `x` and `y` more.

    1: it becomes a canasta, 0: it does not, -1: it is illegal. (0, 0) means no meld.
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


def key_of(rules: CanastaRules, kind: int) -> Key:
    """The facts about rank and rules that `grown` needs."""
    return (kind == BLACK, rules.wildcanasta, rules.wildblack3)


def ways(rules: CanastaRules, kind: int, shape: Shape, most: int, wild: int) -> Ways:
    """G of CAN-88: all (x, y) with x up to `most`, y up to `wild`, that can be added to a rank."""
    key = key_of(rules, kind)
    if rules.tworank:
        return _spread(key, shape, most, wild, (0, 0))
    a, w = shape[0] if shape else (0, 0)
    return _growths(key, a, w, most, wild)


Spread = dict[tuple[int, int], int]  # (naturals, wild cards) added → maximum of canastas


@lru_cache(maxsize=4096)
def _spread(key: Key, shape: Shape, most: int, wild: int, extra: tuple[int, int]) -> Ways:
    """CAN-88 with `tworank`: over the existing melds and any number of new ones.

    With an `extra` natural or wild card, one existing meld later gets that card.
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
    for x in range(most + 1):  # a new meld has naturals (CAN-37), so one pass is enough
        at_x = {at: value for at, value in plain.items() if at[0] == x}
        fitted_x = {at: value for at, value in fitted.items() if at[0] == x}
        _reach(fitted, fitted_x, growths, most, wild)
        _reach(fitted, at_x, fits, most, wild)
        _reach(plain, at_x, growths, most, wild)
    best = fitted if any(extra) else plain
    return [(x, y, value) for (x, y), value in sorted(best.items())]


def _growths(key: Key, a: int, w: int, most: int, wild: int) -> Ways:
    """The possible additions to one meld, and whether each makes it a canasta."""
    growths: Ways = []
    for x in range(most + 1):
        for y in range(wild + 1):
            value = grown(key, a, w, x, y)
            if value >= 0:
                growths.append((x, y, value))
    return growths


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
    """Extend each entry of `best` by each growth of one meld, and add the results to `into`."""
    for (used, jokers), canastas in best.items():
        for x, y, value in growths:
            at = (used + x, jokers + y)
            if at[0] <= most and at[1] <= wild and canastas + value > into.get(at, -1):
                into[at] = canastas + value


def can_finish(turn: TurnState) -> bool:
    """CAN-91: the turn can be finished legally."""
    return can_stay(turn) or can_go_out(turn)


def can_stay(turn: TurnState) -> bool:
    """Test S (CAN-89): the seat can end its turn with cards in hand (CAN-45, CAN-48).

    With no minimum to reach, this is CAN-47: two cards are left.
    """
    if turn.committed:
        return False
    keep = 2 if turn.discard else 1
    size = turn.size
    free = size - max(0, keep - len(turn.pending))
    if free < 0:
        return False
    need = turn.need
    return need == 0 or (_hope(turn) >= need and worth(turn, free, need) >= need)


def _hope(turn: TurnState) -> int:
    """An upper bound of B(N), which counts all wild cards for every meld."""
    n = turn.n
    wild = n[TWO] + n[JOKER]
    points = places = 0
    shapes = turn.shapes
    for kind in NATURAL:
        count = n[kind]
        if shapes[kind] or count > 2 or (count == 2 and wild):
            points += count * POINTS[kind]
            places += 1
    return points + n[TWO] * POINTS[TWO] + n[JOKER] * POINTS[JOKER] if places else 0


def worth(turn: TurnState, most: int, enough: int) -> int:
    """B(N) of CAN-89: the maximum of points from melding up to `most` hand cards.

    Stops early at any total of at least `enough`.
    """
    n = turn.n
    wild = min(most, n[TWO] + n[JOKER])
    bonus = [min(y, n[JOKER]) * POINTS[JOKER] + max(0, y - n[JOKER]) * POINTS[TWO]
             for y in range(wild + 1)]  # fmt: skip
    width = wild + 1
    best = [-1] * ((most + 1) * width)  # points by cards and wild cards; -1: none
    best[0] = top = 0
    for kind in NATURAL:
        if n[kind] < 2 and not turn.shapes[kind]:
            continue
        additions = ways(turn.rules, kind, turn.shapes[kind], min(most, n[kind]), wild)
        # Every addition leads to a later entry, so in ascending order no rank is entered twice.
        for used in range(most, -1, -1):
            for jokers in range(wild, -1, -1):
                before = best[used * width + jokers]
                if before < 0:
                    continue
                for x, y, _ in additions:
                    if used + x + y > most or jokers + y > wild:
                        continue
                    at = (used + x + y) * width + jokers + y
                    total = before + x * POINTS[kind]
                    if total > best[at]:
                        best[at] = total
                        top = max(top, total + bonus[jokers + y])
        if top >= enough:
            return top
    return top


def can_go_out(turn: TurnState) -> bool:
    """Test O (CAN-90): the seat can go out in this turn (CAN-50)."""
    if turn.refused or len(turn.pending) > 1 or _too_many_lone(turn) or not _enough(turn):
        return False
    if turn.pending:
        return _out_with_pending(turn)
    is_out = turn.had and turn.size <= int(turn.discard)  # nothing needs to be melded
    if is_out and turn.canastas >= turn.rules.canastas:
        return True
    stuck = -1  # a kind whose cards cannot all be melded
    for kind in range(KINDS + 1):
        if turn.n[kind] and _stuck(turn, kind):
            if stuck >= 0 or not turn.discard:
                return False
            stuck = kind
    if stuck >= 0:
        return _all_laid(turn, stuck)
    if _all_laid(turn, -1):
        return True
    return turn.discard and any(turn.n[kind] > 0 and _all_laid(turn, kind) for kind in range(KINDS))


def _too_many_lone(turn: TurnState) -> bool:
    """A quick test: whether more kinds have one card and no meld (CAN-37) than can be discarded."""
    n, shapes = turn.n, turn.shapes
    room = 1 if turn.discard else 0
    for kind in RANKED:
        if n[kind] == 1 and not shapes[kind]:
            room -= 1
            if room < 0:
                return True
    return False


def _enough(turn: TurnState) -> bool:
    """Whether cards and points would suffice if each card could be melded where it counts most."""
    n, rules = turn.n, turn.rules
    free = n[TWO] + n[JOKER] + len(turn.pending)
    shapes = turn.shapes
    canastas = 0
    for kind in RANKED:
        cards, shape = n[kind] + free, shapes[kind]
        if shape:
            for a, w in shape:
                cards += a + w
        if cards < CANASTA:
            continue
        canastas += cards // CANASTA if rules.tworank else 1
        if canastas >= rules.canastas:
            return turn.had or turn.exempt or turn.counted + _points(n) >= turn.minimum
    return False


def _points(n: list[int]) -> int:
    """V of CAN-87: the card points of counted cards."""
    points = 0
    for kind in range(KINDS):
        points += n[kind] * POINTS[kind]
    return points


def _stuck(turn: TurnState, kind: int) -> bool:
    """Whether some card of this kind cannot be melded, even with wild cards."""
    if is_wild(kind):
        return False
    if kind in (RED, UNKNOWN):
        return True
    n, shape, key = turn.n, turn.shapes[kind], key_of(turn.rules, kind)
    count, wild = n[kind], n[TWO] + n[JOKER]
    if not shape and count == 1:  # CAN-37
        return True
    if turn.rules.tworank:
        return not _possible(_complete(turn, kind, count, wild))
    a, w = shape[0] if shape else (0, 0)
    y = 0
    while y <= wild and grown(key, a, w, count, y) < 0:
        y += 1
    return y > wild


def _complete(turn: TurnState, kind: int, count: int, wild: int) -> Row:
    """The results of adding all `count` naturals of a rank."""
    shape, key = turn.shapes[kind], key_of(turn.rules, kind)
    if turn.rules.tworank:
        return _row(_spread(key, shape, count, wild, (0, 0)), count, wild)
    a, w = shape[0] if shape else (0, 0)
    return [grown(key, a, w, count, y) for y in range(wild + 1)]


def _row(pairs: Ways, count: int, wild: int) -> Row:
    """The entries of `pairs` that add `count` naturals."""
    row = [-1] * (wild + 1)
    for x, y, value in pairs:
        if x == count:
            row[y] = value
    return row


def _all_laid(turn: TurnState, discard: int) -> bool:
    """CAN-90, nothing pending: all cards but one of kind `discard` (-1: none) can be melded."""
    n = turn.n[:]
    if discard >= 0:
        n[discard] -= 1
    if n[RED] or n[UNKNOWN]:
        return False
    if not (turn.had or turn.exempt or turn.counted + _points(n) >= turn.minimum):
        return False
    wild = n[TWO] + n[JOKER]
    if not wild and not turn.rules.tworank:
        return _naturals_laid(turn, n)
    best: Row = [0] + [-1] * wild  # maximum of canastas by wild cards used
    for kind in RANKED:
        if not n[kind] and not turn.shapes[kind]:
            continue
        best = _add_rank(best, _complete(turn, kind, n[kind], wild))
        if not _possible(best):
            return False
    return best[wild] >= turn.rules.canastas


def _naturals_laid(turn: TurnState, n: list[int]) -> bool:
    """`_all_laid` without wild cards and with one meld per rank, which leaves only one way."""
    shapes, canastas = turn.shapes, 0
    for kind in RANKED:
        count, shape = n[kind], shapes[kind]
        if not count and not shape:
            continue
        a, w = shape[0] if shape else (0, 0)
        value = grown(key_of(turn.rules, kind), a, w, count, 0)
        if value < 0:
            return False
        canastas += value
    return canastas >= turn.rules.canastas


def _possible(row: Row) -> bool:
    for canastas in row:  # noqa: SIM110 - a generator is slower when compiled
        if canastas >= 0:
            return True
    return False


def _add_rank(best: Row, added: Row) -> Row:
    """Add one rank to the table of CAN-90: wild cards used → maximum of canastas."""
    size = len(best)
    row = [-1] * size
    for used in range(size):
        canastas = best[used]
        if canastas < 0:
            continue
        for y in range(size - used):
            if added[y] >= 0 and canastas + added[y] > row[used + y]:
                row[used + y] = canastas + added[y]
    return row


def _out_with_pending(turn: TurnState) -> bool:
    """CAN-90, one card pending: the whole hand is melded, then the pending card is used."""
    n = turn.n
    if n[BLACK] or n[RED] or n[UNKNOWN]:
        return False
    if turn.counted + _points(n) < turn.minimum:
        return False
    wild = n[TWO] + n[JOKER]
    card = turn.pending[0]
    plain: Row = [0] + [-1] * wild
    fitted: Row = [-1] * (wild + 1)  # with the pending card laid off
    for kind in RANKED:
        if not n[kind] and not turn.shapes[kind]:
            continue
        additions = _complete(turn, kind, n[kind], wild)
        after = _add_rank(plain, _with_card(turn, kind, card, wild))
        fitted = [max(pair) for pair in zip(_add_rank(fitted, additions), after, strict=True)]
        plain = _add_rank(plain, additions)
    return max(plain[wild], fitted[wild]) >= turn.rules.canastas


def _with_card(turn: TurnState, kind: int, card: int, wild: int) -> Row:
    """Like `_complete`, if the pending card is laid off on one of the melds afterwards."""
    row = [-1] * (wild + 1)
    if not is_wild(card) and card != kind:
        return row
    key, shape, count = key_of(turn.rules, kind), turn.shapes[kind], turn.n[kind]
    extra = (0, 1) if is_wild(card) else (1, 0)
    if turn.rules.tworank:
        return _row(_spread(key, shape, count, wild, extra), count, wild)
    a, w = shape[0] if shape else (0, 0)
    for y, value in enumerate(_complete(turn, kind, count, wild)):
        if value >= 0 and a + count > 0:
            row[y] = grown(key, a + count, w + y, extra[0], extra[1])
    return row
