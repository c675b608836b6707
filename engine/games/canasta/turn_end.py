"""Exact tests whether a seat can finish its turn (docs/rules/canasta.md, section 10).

CAN-87 to CAN-91 define the tests. CAN-92 and CAN-93 prove that they are exact, and that a seat
always has a move. *Naturals* are cards that are not wild.
"""

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
from engine.games.canasta.turn_state import CANASTA, MeldCounts, TurnState

# Each possible addition: naturals added, wild cards added, the greatest number of canastas.
Additions = list[tuple[int, int, int]]
# By number of wild cards added: the greatest number of canastas; -1 if impossible.
Row = list[int]
# Whether the meld has black threes, and the options `wildcanasta` and `wildblack3`.
Key = tuple[bool, bool, bool]


def growth_result(key: Key, naturals: int, wilds: int, more_naturals: int, more_wilds: int) -> int:
    """The number of canastas (0 or 1) in a meld after an addition; -1 if it is illegal (CAN-88).

    The meld has `naturals` and `wilds` (both 0: there is no meld yet), and gets `more_naturals` and
    `more_wilds`.
    """
    black, wildcanasta, wildblack3 = key
    size = naturals + wilds + more_naturals + more_wilds
    if more_naturals or more_wilds:
        if naturals + more_naturals < 2 or size < 3:  # CAN-36, CAN-37
            return -1
        if (
            more_wilds
            and wilds + more_wilds > 3
            and not (wildcanasta and naturals + more_naturals + max(3, wilds) >= CANASTA)
        ):  # CAN-38
            return -1
        if black and not wildblack3 and (more_wilds or naturals + more_naturals < 3):  # CAN-40
            return -1
    return 1 if size >= CANASTA else 0


def is_legal_extension(
    key: Key, naturals: int, wilds: int, more_naturals: int, more_wilds: int
) -> bool:
    """Whether a meld of `naturals` and `wilds` may get `more_naturals` and `more_wilds`."""
    return growth_result(key, naturals, wilds, more_naturals, more_wilds) >= 0


def meld_key(rules: CanastaRules, kind: int) -> Key:
    """The facts about rank and rules that `growth_result` needs."""
    return (kind == BLACK, rules.wildcanasta, rules.wildblack3)


def possible_additions(
    rules: CanastaRules, kind: int, rank_melds: MeldCounts, max_naturals: int, max_wilds: int
) -> Additions:
    """All additions to a side's melds of one rank (G in CAN-88), within the two maxima."""
    key = meld_key(rules, kind)
    if rules.tworank:
        return _spread(key, rank_melds, max_naturals, max_wilds, (0, 0))
    naturals, wilds = rank_melds[0] if rank_melds else (0, 0)
    return _growths(key, naturals, wilds, max_naturals, max_wilds)


Spread = dict[tuple[int, int], int]  # (naturals, wild cards) added → maximum of canastas


@lru_cache(maxsize=4096)
def _spread(
    key: Key, rank_melds: MeldCounts, max_naturals: int, max_wilds: int, extra: tuple[int, int]
) -> Additions:
    """`possible_additions` with `tworank`: to existing melds and any number of new ones (CAN-88).

    `extra`: a natural or wild card that one of the melds gets afterwards; (0, 0) if there is none.
    """
    without_extra: Spread = {(0, 0): 0}
    with_extra: Spread = {}  # with the extra card laid off
    for naturals, wilds in rank_melds:
        growths = _growths(key, naturals, wilds, max_naturals, max_wilds)
        fits = _fitting(key, naturals, wilds, growths, extra)
        extended: Spread = {}
        _extend(extended, with_extra, growths, max_naturals, max_wilds)
        _extend(extended, without_extra, fits, max_naturals, max_wilds)
        with_extra = extended
        extended = {}
        _extend(extended, without_extra, growths, max_naturals, max_wilds)
        without_extra = extended
    growths = [addition for addition in _growths(key, 0, 0, max_naturals, max_wilds) if addition[0]]
    fits = _fitting(key, 0, 0, growths, extra)
    # A new meld has naturals (CAN-37), so one pass is enough.
    for more_naturals in range(max_naturals + 1):
        without_at = {
            added: value for added, value in without_extra.items() if added[0] == more_naturals
        }
        with_at = {added: value for added, value in with_extra.items() if added[0] == more_naturals}
        _extend(with_extra, with_at, growths, max_naturals, max_wilds)
        _extend(with_extra, without_at, fits, max_naturals, max_wilds)
        _extend(without_extra, without_at, growths, max_naturals, max_wilds)
    entries = with_extra if any(extra) else without_extra
    return [
        (more_naturals, more_wilds, value)
        for (more_naturals, more_wilds), value in sorted(entries.items())
    ]


def _growths(key: Key, naturals: int, wilds: int, max_naturals: int, max_wilds: int) -> Additions:
    """All additions to one meld, within the two maxima."""
    growths: Additions = []
    for more_naturals in range(max_naturals + 1):
        for more_wilds in range(max_wilds + 1):
            value = growth_result(key, naturals, wilds, more_naturals, more_wilds)
            if value >= 0:
                growths.append((more_naturals, more_wilds, value))
    return growths


def _fitting(
    key: Key, naturals: int, wilds: int, growths: Additions, extra: tuple[int, int]
) -> Additions:
    """The additions after which the extra card fits on the meld, with the canastas after it."""
    if not any(extra):
        return []
    more_naturals, more_wilds = extra
    fits = [
        (
            added_naturals,
            added_wilds,
            growth_result(
                key, naturals + added_naturals, wilds + added_wilds, more_naturals, more_wilds
            ),
        )
        for added_naturals, added_wilds, _ in growths
        if naturals + added_naturals > 0
    ]
    return [addition for addition in fits if addition[2] >= 0]


def _extend(
    into: Spread, entries: Spread, growths: Additions, max_naturals: int, max_wilds: int
) -> None:
    """Extend each entry of `entries` by each addition to one meld, and put the results in `into`.

    Of equal results, only the one with the most canastas remains.
    """
    for (naturals, wilds), canastas in entries.items():
        for more_naturals, more_wilds, value in growths:
            key = (naturals + more_naturals, wilds + more_wilds)
            if key[0] > max_naturals or key[1] > max_wilds:
                continue
            if canastas + value > into.get(key, -1):
                into[key] = canastas + value


def can_finish(turn: TurnState) -> bool:
    """Whether the seat can finish its turn legally (CAN-91)."""
    return can_stay(turn) or can_go_out(turn)


def can_stay(turn: TurnState) -> bool:
    """Whether the seat can end its turn with cards in hand (test S, CAN-89; CAN-45, CAN-48).

    If there is no minimum to reach, the seat needs only two cards (CAN-47).
    """
    if turn.committed:
        return False
    cards_to_keep = 2 if turn.has_discard else 1
    size = turn.size
    free = size - max(0, cards_to_keep - len(turn.pending))
    if free < 0:
        return False
    need = turn.need
    return need == 0 or (_max_points(turn) >= need and best_points(turn, free, need) >= need)


def _max_points(turn: TurnState) -> int:
    """An upper bound of `best_points`: it counts all cards that can be in some meld."""
    counts = turn.counts
    wild = counts[TWO] + counts[JOKER]
    points = places = 0
    meld_counts = turn.meld_counts
    for kind in NATURAL:
        count = counts[kind]
        if meld_counts[kind] or count > 2 or (count == 2 and wild):
            points += count * POINTS[kind]
            places += 1
    return points + counts[TWO] * POINTS[TWO] + counts[JOKER] * POINTS[JOKER] if places else 0


def best_points(turn: TurnState, max_cards: int, target: int) -> int:
    """The most points from melding up to `max_cards` cards of the hand (B(N) in CAN-89).

    The search stops early if it finds `target` points or more.
    """
    counts = turn.counts
    wild = min(max_cards, counts[TWO] + counts[JOKER])
    joker_count = counts[JOKER]
    bonus = [
        min(wilds, joker_count) * POINTS[JOKER] + max(0, wilds - joker_count) * POINTS[TWO]
        for wilds in range(wild + 1)
    ]
    width = wild + 1
    # By numbers of cards and of wild cards: the most points; -1 if impossible.
    points_table = [-1] * ((max_cards + 1) * width)
    points_table[0] = max_total = 0
    most_used = 0  # no entry with more cards is possible yet
    for kind in NATURAL:
        if counts[kind] < 2 and not turn.meld_counts[kind]:
            continue
        additions = possible_additions(
            turn.rules, kind, turn.meld_counts[kind], min(max_cards, counts[kind]), wild
        )
        # Every addition leads to a later entry. So in descending order, no rank is added twice.
        for used_cards in range(most_used, -1, -1):
            for used_wilds in range(wild, -1, -1):
                points = points_table[used_cards * width + used_wilds]
                if points < 0:
                    continue
                for more_naturals, more_wilds, _ in additions:
                    cards = used_cards + more_naturals + more_wilds
                    wilds = used_wilds + more_wilds
                    if cards > max_cards or wilds > wild:
                        continue
                    index = cards * width + wilds
                    total = points + more_naturals * POINTS[kind]
                    if total > points_table[index]:
                        points_table[index] = total
                        max_total = max(max_total, total + bonus[wilds])
        if max_total >= target:
            return max_total
        most_used = min(max_cards, most_used + counts[kind] + wild)
    return max_total


def can_go_out(turn: TurnState) -> bool:
    """Whether the seat can go out in this turn (test O, CAN-90; CAN-50)."""
    if (
        turn.refused
        or len(turn.pending) > 1
        or _has_too_many_singles(turn)
        or not _could_suffice(turn)
    ):
        return False
    if turn.pending:
        return _can_go_out_with_pending(turn)
    is_out = turn.had_meld and turn.size <= int(turn.has_discard)  # nothing needs to be melded
    if is_out and turn.canastas >= turn.rules.canastas:
        return True
    stuck_kind = -1  # a kind whose cards cannot all be melded
    for kind in range(KINDS + 1):
        if turn.counts[kind] and _has_stuck_card(turn, kind):
            if stuck_kind >= 0 or not turn.has_discard:
                return False
            stuck_kind = kind
    if stuck_kind >= 0:
        return _can_meld_all_but(turn, stuck_kind)
    if _can_meld_all_but(turn, -1):
        return True
    return turn.has_discard and any(
        turn.counts[kind] > 0 and _can_meld_all_but(turn, kind) for kind in range(KINDS)
    )


def _has_too_many_singles(turn: TurnState) -> bool:
    """A quick test: whether the hand has more single cards without a meld than it can discard.

    Such cards cannot be melded (CAN-37).
    """
    counts, meld_counts = turn.counts, turn.meld_counts
    discards_left = 1 if turn.has_discard else 0
    for kind in RANKED:
        if counts[kind] == 1 and not meld_counts[kind]:
            discards_left -= 1
            if discards_left < 0:
                return True
    return False


def _could_suffice(turn: TurnState) -> bool:
    """A quick test: whether the cards suffice for the canastas and points needed to go out.

    It counts each wild or pending card for every meld.
    """
    counts, rules = turn.counts, turn.rules
    free = counts[TWO] + counts[JOKER] + len(turn.pending)
    meld_counts = turn.meld_counts
    canastas = 0
    for kind in RANKED:
        cards, rank_melds = counts[kind] + free, meld_counts[kind]
        if rank_melds:
            for naturals, wilds in rank_melds:
                cards += naturals + wilds
        if cards < CANASTA:
            continue
        canastas += cards // CANASTA if rules.tworank else 1
        if canastas >= rules.canastas:
            return (
                turn.had_meld or turn.exempt or turn.counted + _card_points(counts) >= turn.minimum
            )
    return False


def _card_points(counts: list[int]) -> int:
    """The card points of cards counted by kind (V in CAN-87)."""
    points = 0
    for kind in range(KINDS):
        points += counts[kind] * POINTS[kind]
    return points


def _has_stuck_card(turn: TurnState, kind: int) -> bool:
    """Whether some card of this kind cannot be melded, even with wild cards."""
    if is_wild(kind):
        return False
    if kind in (RED, UNKNOWN):
        return True
    counts, rank_melds, key = turn.counts, turn.meld_counts[kind], meld_key(turn.rules, kind)
    count, wild = counts[kind], counts[TWO] + counts[JOKER]
    if not rank_melds and count == 1:  # CAN-37
        return True
    if turn.rules.tworank:
        return not _is_possible(_complete(turn, kind, count, wild))
    naturals, wilds = rank_melds[0] if rank_melds else (0, 0)
    more_wilds = 0
    while more_wilds <= wild and not is_legal_extension(key, naturals, wilds, count, more_wilds):
        more_wilds += 1
    return more_wilds > wild


def _complete(turn: TurnState, kind: int, count: int, wild: int) -> Row:
    """The results of adding all `count` naturals of a rank, by number of wild cards added."""
    rank_melds, key = turn.meld_counts[kind], meld_key(turn.rules, kind)
    if turn.rules.tworank:
        return _row(_spread(key, rank_melds, count, wild, (0, 0)), count, wild)
    naturals, wilds = rank_melds[0] if rank_melds else (0, 0)
    return [
        growth_result(key, naturals, wilds, count, more_wilds) for more_wilds in range(wild + 1)
    ]


def _row(pairs: Additions, count: int, wild: int) -> Row:
    """The entries of `pairs` that add exactly `count` naturals, by number of wild cards added."""
    row = [-1] * (wild + 1)
    for more_naturals, more_wilds, value in pairs:
        if more_naturals == count:
            row[more_wilds] = value
    return row


def _can_meld_all_but(turn: TurnState, discard: int) -> bool:
    """Whether the seat can meld all cards but one of kind `discard` (-1: all cards) (CAN-90).

    No cards are pending. The melds must include the canastas needed to go out.
    """
    counts = turn.counts[:]
    if discard >= 0:
        counts[discard] -= 1
    if counts[RED] or counts[UNKNOWN]:
        return False
    if not (turn.had_meld or turn.exempt or turn.counted + _card_points(counts) >= turn.minimum):
        return False
    wild = counts[TWO] + counts[JOKER]
    if not wild and not turn.rules.tworank:
        return _can_meld_naturals(turn, counts)
    max_canastas: Row = [0] + [-1] * wild  # by number of wild cards used
    for kind in RANKED:
        if not counts[kind] and not turn.meld_counts[kind]:
            continue
        max_canastas = _add_rank(max_canastas, _complete(turn, kind, counts[kind], wild))
        if not _is_possible(max_canastas):
            return False
    return max_canastas[wild] >= turn.rules.canastas


def _can_meld_naturals(turn: TurnState, counts: list[int]) -> bool:
    """`_can_meld_all_but` if there is only one way to meld: no wild cards, one meld per rank."""
    meld_counts, canastas = turn.meld_counts, 0
    for kind in RANKED:
        count, rank_melds = counts[kind], meld_counts[kind]
        if not count and not rank_melds:
            continue
        naturals, wilds = rank_melds[0] if rank_melds else (0, 0)
        value = growth_result(meld_key(turn.rules, kind), naturals, wilds, count, 0)
        if value < 0:
            return False
        canastas += value
    return canastas >= turn.rules.canastas


def _is_possible(row: Row) -> bool:
    for canastas in row:  # noqa: SIM110 - a generator is slower when compiled
        if canastas >= 0:
            return True
    return False


def _add_rank(max_canastas: Row, added: Row) -> Row:
    """The most canastas, by number of wild cards used, with one more rank (CAN-90)."""
    size = len(max_canastas)
    row = [-1] * size
    for used in range(size):
        canastas = max_canastas[used]
        if canastas < 0:
            continue
        for more_wilds in range(size - used):
            if added[more_wilds] >= 0 and canastas + added[more_wilds] > row[used + more_wilds]:
                row[used + more_wilds] = canastas + added[more_wilds]
    return row


def _can_go_out_with_pending(turn: TurnState) -> bool:
    """Whether the seat can go out with one pending card (CAN-90).

    It melds the whole hand, then melds or discards the pending card.
    """
    counts = turn.counts
    if counts[BLACK] or counts[RED] or counts[UNKNOWN]:
        return False
    if turn.counted + _card_points(counts) < turn.minimum:
        return False
    wild = counts[TWO] + counts[JOKER]
    card = turn.pending[0]
    without_card: Row = [0] + [-1] * wild
    with_card: Row = [-1] * (wild + 1)  # with the pending card on one of the melds
    for kind in RANKED:
        if not counts[kind] and not turn.meld_counts[kind]:
            continue
        additions = _complete(turn, kind, counts[kind], wild)
        extended = _add_rank(without_card, _with_card(turn, kind, card, wild))
        with_card = [
            max(pair) for pair in zip(_add_rank(with_card, additions), extended, strict=True)
        ]
        without_card = _add_rank(without_card, additions)
    return max(without_card[wild], with_card[wild]) >= turn.rules.canastas


def _with_card(turn: TurnState, kind: int, card: int, wild: int) -> Row:
    """The results of `_complete` if one of the melds gets the pending card afterwards."""
    row = [-1] * (wild + 1)
    if not is_wild(card) and card != kind:
        return row
    key, rank_melds, count = meld_key(turn.rules, kind), turn.meld_counts[kind], turn.counts[kind]
    extra = (0, 1) if is_wild(card) else (1, 0)
    if turn.rules.tworank:
        return _row(_spread(key, rank_melds, count, wild, extra), count, wild)
    naturals, wilds = rank_melds[0] if rank_melds else (0, 0)
    for more_wilds, value in enumerate(_complete(turn, kind, count, wild)):
        if value >= 0 and naturals + count > 0:
            row[more_wilds] = growth_result(
                key, naturals + count, wilds + more_wilds, extra[0], extra[1]
            )
    return row
