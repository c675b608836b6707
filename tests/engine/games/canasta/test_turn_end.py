"""The exact tests of CAN-87 to CAN-93 against a search of all step sequences."""

import os
from random import Random
from typing import Any

import pytest

from engine import Format
from engine.games.canasta import turn_end
from engine.games.canasta.card_kinds import BLACK, JOKER, KINDS, POINTS, RED, TWO, UNKNOWN
from engine.games.canasta.turn_end import can_finish
from engine.games.canasta.turn_state import TurnState

CASES = 1_000_000 if os.environ.get("CARDROOM_FULL") else 24_000
WILD = (TWO, JOKER)
OPTIONS = [
    "",
    "wildcanasta=true",
    "wildblack3=true",
    "tworank=true",
    "canastas=2",
    "red3discard=true",
    "tworank=true&wildblack3=true&wildcanasta=true",
    "canastas=2&tworank=true",
]


class Search:
    """A cached search over all ways to finish a turn, by the clauses alone."""

    def __init__(self, turn: Any) -> None:
        self.rules = turn.rules
        self.turn = turn
        self.seen: dict[Any, bool] = {}

    def run(self) -> bool:
        shapes = tuple(tuple(map(tuple, shape)) for shape in self.turn.meld_counts)
        counted, pending = self.turn.counted, tuple(self.turn.pending)
        hand, pending = self.arrive(tuple(self.turn.counts), counted, pending)
        return self.ends(hand, shapes, counted, pending, self.turn.committed)

    def arrive(self, hand: Any, counted: Any, pending: Any) -> Any:  # CAN-35
        if pending and (self.turn.had_meld or counted >= self.turn.minimum):
            return tuple(n + pending.count(kind) for kind, n in enumerate(hand)), ()
        return hand, pending

    def ends(self, *state: Any) -> bool:
        if state not in self.seen:
            self.seen[state] = False
            self.seen[state] = self.over(*state) or any(self.ends(*n) for n in self.steps(*state))
        return self.seen[state]

    def over(self, hand: Any, shapes: Any, counted: Any, pending: Any, committed: Any) -> bool:
        turn, size = self.turn, sum(hand)
        if pending:
            return False
        enough = turn.had_meld or counted >= turn.minimum
        canastas = sum(a + w >= 7 for shape in shapes for a, w in shape)  # CAN-44, CAN-50
        may_go_out = (
            not turn.refused and canastas >= self.rules.canastas and (enough or turn.exempt)
        )
        if size == 0:
            return may_go_out
        if not turn.has_discard:  # CAN-63
            return not committed and enough
        return may_go_out if size == 1 else not committed and enough

    def steps(self, hand: Any, shapes: Any, counted: Any, pending: Any, committed: Any) -> Any:
        for kind in (0, *range(BLACK, BLACK + 1), *range(4, 14)):
            if kind == BLACK and pending:
                continue
            for number, cards in self.laid(kind, hand, shapes[kind]):
                remaining = list(hand)
                for card in cards:
                    remaining[card] -= 1
                points = 0 if self.turn.had_meld else sum(POINTS[card] for card in cards)
                wild = sum(card in WILD for card in cards)
                shape = list(shapes[kind])
                a, w = shape[number] if number < len(shape) else (0, 0)
                shape[number : number + 1] = [(a + len(cards) - wild, w + wild)]
                grown = (*shapes[:kind], tuple(sorted(shape)), *shapes[kind + 1 :])
                arrived = self.arrive(tuple(remaining), counted + points, pending)
                bound = committed or kind == BLACK  # CAN-40
                yield arrived[0], grown, counted + points, arrived[1], bound

    def laid(self, kind: Any, hand: Any, shape: Any) -> Any:
        rules = self.rules
        wilds = [card for card in WILD if hand[card] and (kind != BLACK or rules.wildblack3)]
        for number, (a, w) in enumerate(shape):
            if hand[kind]:
                yield number, (kind,)
            if w < 3 or (rules.wildcanasta and a + w >= 7):  # CAN-38
                yield from ((number, (card,)) for card in wilds)
        if shape and not rules.tworank:  # CAN-41
            return
        if hand[kind] >= 3:
            yield len(shape), (kind, kind, kind)
        if hand[kind] >= 2:
            yield from ((len(shape), (kind, kind, card)) for card in wilds)


def random_stand(rules: Any, rng: Any) -> Any:
    """A small position after a meld step."""
    kinds: list[int] = rng.sample((0, *range(4, 14)), rng.choice((1, 2, 2, 3)))
    n: list[int] = [0] * (KINDS + 1)
    shapes: list[Any] = [()] * KINDS
    for kind in kinds:
        for _ in range(rng.choice((0, 1, 1, 1, 2)) if rules.tworank else rng.randrange(2)):
            meld = (rng.randint(2, 7), rng.choice((0, 0, 1, 2, 3, 4)))
            if sum(meld) > 2:
                shapes[kind] = tuple(sorted((*shapes[kind], meld)))
    pool = [*kinds * 3, TWO, JOKER, BLACK, *([RED] if rules.red3discard else [])]
    for _ in range(rng.randint(0, 8)):
        n[rng.choice(pool)] += 1
    n[UNKNOWN] = int(rng.random() < 0.04)
    turn = TurnState(rules, n, shapes, rng.choice((15, 50, 90, 120)))
    turn.had_meld = any(shapes) and rng.random() < 0.5
    turn.melded = True
    turn.has_discard = rng.random() < 0.85
    turn.exempt = not turn.had_meld and rng.random() < 0.2
    if not turn.had_meld:
        turn.counted = rng.choice((5, 15, 30, 50, 100))
        if turn.need and turn.has_discard and not turn.exempt:  # a taking has a discard (CAN-63)
            most_wild = rng.choice((0, 0, 1, 1, 2))
            turn.pending = [rng.choice([*kinds, TWO, JOKER, BLACK]) for _ in range(most_wild)]
    if not turn.pending:
        turn.committed = rng.random() < 0.2
        turn.refused = not turn.committed and rng.random() < 0.1
    return turn


@pytest.mark.parametrize("options", OPTIONS)
def test_the_tests_agree_with_a_search(options: Any) -> None:
    # CAN-46, CAN-87, CAN-88, CAN-89, CAN-90, CAN-91, CAN-92
    rules = Format.parse(f"canasta/classic/2v2{'?' + options if options else ''}").rules
    rng = Random(f"finish {options}")
    counts = {True: 0, False: 0}
    for _ in range(CASES // len(OPTIONS)):
        turn = random_stand(rules, rng)
        expected = Search(turn).run()
        described = {name: getattr(turn, name) for name in TurnState.__slots__}
        assert can_finish(turn) == expected, described
        counts[expected] += 1
    assert min(counts.values()) > CASES // len(OPTIONS) // 10  # both answers occur


@pytest.mark.parametrize("text", ["classic/1v1", "pre-1951/1v1", "pre-1951/3v3"])
def test_the_work_is_limited_for_extreme_hands(text: Any, monkeypatch: Any) -> None:
    # CAN-89, CAN-90: a table over the ranks, not a search of all sets
    rules = Format.parse(f"canasta/{text}").rules
    calls = 0
    grown = turn_end.growth_result

    def counting(*arguments: Any) -> int:
        nonlocal calls
        calls += 1
        return grown(*arguments)

    monkeypatch.setattr(turn_end, "growth_result", counting)
    packs = rules.packs * 4
    most_calls = 0
    for pending, naturals in (([], range(4, 14)), ([5], range(4, 7)), ([TWO], range(4, 14))):
        n: list[int] = [0] * (KINDS + 1)
        for kind in (0, *naturals):
            n[kind] = packs
        n[TWO], n[JOKER] = packs, packs // 2
        melds = ((2, 1), (2, 1), (3, 0)) if rules.tworank else ((3, 1),)
        turn = TurnState(rules, n, [melds if kind > 3 else () for kind in range(KINDS)], 120)
        turn.had_meld, turn.melded, turn.committed = False, True, True
        turn.pending = list(pending)
        turn_end._spread.cache_clear()
        calls = 0
        can_finish(turn)
        most_calls = max(most_calls, calls)
    assert 0 < most_calls < 10_000
