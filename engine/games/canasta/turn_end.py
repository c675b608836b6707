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
from engine.games.canasta.turn_state import CANASTA, MeldCounts, TurnState

Additions = list[tuple[int, int, int]]  # naturals added, wild cards added, maximum of canastas
Row = list[int]  # by wild cards added: maximum of canastas, -1: impossible
Key = tuple[bool, bool, bool]  # black threes, wildcanasta, wildblack3


def growth_result(key: Key, naturals: int, wilds: int, more_naturals: int, more_wilds: int) -> int:
    """CAN-88 for a meld of `naturals` and `wilds` that gets `more_naturals` and `more_wilds`.

    1: it becomes a canasta, 0: it does not, -1: it is illegal. (0, 0) means no meld.
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
    """G of CAN-88: the possible additions to a rank within these numbers of cards."""
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
    """CAN-88 with `tworank`: over the existing melds and any number of new ones.

    With an `extra` natural or wild card, one existing meld later gets that card.
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
    """The possible additions to one meld, and whether each makes it a canasta."""
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
    """The growths after which the extra card fits on the meld."""
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
    """Extend each entry of `entries` by each growth of one meld, and add the results to `into`."""
    for (naturals, wilds), canastas in entries.items():
        for more_naturals, more_wilds, value in growths:
            key = (naturals + more_naturals, wilds + more_wilds)
            if key[0] > max_naturals or key[1] > max_wilds:
                continue
            if canastas + value > into.get(key, -1):
                into[key] = canastas + value


def can_finish(turn: TurnState) -> bool:
    """CAN-91: the turn can be finished legally."""
    return can_stay(turn) or can_go_out(turn)


def can_stay(turn: TurnState) -> bool:
    """Test S (CAN-89): the seat can end its turn with cards in hand (CAN-45, CAN-48).

    With no minimum to reach, this is CAN-47: two cards are left.
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
    """An upper bound of B(N), which counts all wild cards for every meld."""
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
    """B(N) of CAN-89: the maximum of points from melding up to `max_cards` hand cards.

    Stops early at any total of at least `target`.
    """
    counts = turn.counts
    wild = min(max_cards, counts[TWO] + counts[JOKER])
    joker_count = counts[JOKER]
    bonus = [
        min(wilds, joker_count) * POINTS[JOKER] + max(0, wilds - joker_count) * POINTS[TWO]
        for wilds in range(wild + 1)
    ]
    width = wild + 1
    points_table = [-1] * ((max_cards + 1) * width)  # points by cards and wild cards; -1: none
    points_table[0] = max_total = 0
    for kind in NATURAL:
        if counts[kind] < 2 and not turn.meld_counts[kind]:
            continue
        additions = possible_additions(
            turn.rules, kind, turn.meld_counts[kind], min(max_cards, counts[kind]), wild
        )
        # Every addition leads to a later entry, so in ascending order no rank is entered twice.
        for used_cards in range(max_cards, -1, -1):
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
    return max_total


def can_go_out(turn: TurnState) -> bool:
    """Test O (CAN-90): the seat can go out in this turn (CAN-50)."""
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
    """A quick test: whether more kinds have one card and no meld (CAN-37) than can be discarded."""
    counts, meld_counts = turn.counts, turn.meld_counts
    discards_left = 1 if turn.has_discard else 0
    for kind in RANKED:
        if counts[kind] == 1 and not meld_counts[kind]:
            discards_left -= 1
            if discards_left < 0:
                return True
    return False


def _could_suffice(turn: TurnState) -> bool:
    """Whether cards and points would suffice if each card could be melded where it counts most."""
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
    """V of CAN-87: the card points of counted cards."""
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
    """The results of adding all `count` naturals of a rank."""
    rank_melds, key = turn.meld_counts[kind], meld_key(turn.rules, kind)
    if turn.rules.tworank:
        return _row(_spread(key, rank_melds, count, wild, (0, 0)), count, wild)
    naturals, wilds = rank_melds[0] if rank_melds else (0, 0)
    return [
        growth_result(key, naturals, wilds, count, more_wilds) for more_wilds in range(wild + 1)
    ]


def _row(pairs: Additions, count: int, wild: int) -> Row:
    """The entries of `pairs` that add `count` naturals."""
    row = [-1] * (wild + 1)
    for more_naturals, more_wilds, value in pairs:
        if more_naturals == count:
            row[more_wilds] = value
    return row


def _can_meld_all_but(turn: TurnState, discard: int) -> bool:
    """CAN-90, nothing pending: all cards but one of kind `discard` (-1: none) can be melded."""
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
    max_canastas: Row = [0] + [-1] * wild  # maximum of canastas by wild cards used
    for kind in RANKED:
        if not counts[kind] and not turn.meld_counts[kind]:
            continue
        max_canastas = _add_rank(max_canastas, _complete(turn, kind, counts[kind], wild))
        if not _is_possible(max_canastas):
            return False
    return max_canastas[wild] >= turn.rules.canastas


def _can_meld_naturals(turn: TurnState, counts: list[int]) -> bool:
    """`_can_meld_all_but` without wild cards and with one meld per rank: only one way to meld."""
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
    """Add one rank to the table of CAN-90: wild cards used → maximum of canastas."""
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
    """CAN-90, one card pending: the whole hand is melded, then the pending card is used."""
    counts = turn.counts
    if counts[BLACK] or counts[RED] or counts[UNKNOWN]:
        return False
    if turn.counted + _card_points(counts) < turn.minimum:
        return False
    wild = counts[TWO] + counts[JOKER]
    card = turn.pending[0]
    without_card: Row = [0] + [-1] * wild
    with_card: Row = [-1] * (wild + 1)  # with the pending card laid off
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
    """Like `_complete`, if the pending card is laid off on one of the melds afterwards."""
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
