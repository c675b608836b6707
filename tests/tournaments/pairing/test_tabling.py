"""Tables for more than two entrants, and the split of a table into partners."""

from __future__ import annotations

from itertools import combinations
from math import comb, factorial, prod
from random import Random

import pytest

from tournaments.pairing import Meeting, State
from tournaments.pairing.history import PairingHistory
from tournaments.pairing.tabling import _partners, _splits, seat_tables


def entrants_of(state: State, lot: str = "lot") -> list[tuple[int, ...]]:
    history = PairingHistory.from_state(state)
    order = sorted(range(state.entrants), key=lambda i: (-history.scores[i], i))
    return seat_tables(state, order, history, lot)


def play_rounds(sizes: tuple[int, ...], entrants: int, rounds: int) -> State:
    """Play a number of rounds with random points."""
    rng = Random(f"{sizes} {entrants}")
    state = State(entrants=entrants, sides=len(sizes), sizes=sizes, seed="s")
    for number in range(rounds):
        new_round = tuple(
            Meeting(table, tuple(rng.randrange(5) / 4 for _ in sizes), (0.0,) * len(sizes), 1)
            for table in entrants_of(state, str(number))
        )
        state = State(entrants, len(sizes), "s", (*state.rounds, new_round), sizes=sizes)
    return state


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 2), (3, 3), (2, 2, 2), (4, 4), (2, 1)], ids=str)
def test_each_split_of_a_table_is_listed_once(sizes: tuple[int, ...]) -> None:
    splits = _splits(sizes)
    ways = factorial(sum(sizes)) // prod(factorial(size) for size in sizes)
    assert len(splits) == ways // (factorial(len(sizes)) if len(set(sizes)) == 1 else 1)
    assert len({frozenset(map(frozenset, split)) for split in splits}) == len(splits)
    for split in splits:
        assert sorted(place for side in split for place in side) == list(range(sum(sizes)))
        assert [len(side) for side in split] == list(sizes)
    assert {len(pairs) for pairs in _partners(sizes)} == {sum(comb(size, 2) for size in sizes)}


@pytest.mark.parametrize(
    ("sizes", "entrants", "rounds"),
    [((1, 1, 1), 27, 5), ((1, 1, 1, 1), 32, 4), ((1,) * 8, 128, 2), ((2, 2), 36, 4)],
    ids=str,
)
def test_avoidable_rematches_do_not_occur(
    sizes: tuple[int, ...], entrants: int, rounds: int
) -> None:
    history = PairingHistory.from_state(play_rounds(sizes, entrants, rounds))
    assert max((history.meetings + history.partnerships).values()) == 1


@pytest.mark.parametrize("entrants", [8, 12, 16])
def test_partners_in_pairs_are_new_while_possible(entrants: int) -> None:
    """New partners exist for at least half as many rounds as entrants (Dirac 1952)."""
    history = PairingHistory.from_state(play_rounds((2, 2), entrants, entrants // 2 - 1))
    assert max(history.partnerships.values()) == 1


def test_trios_are_new_at_first() -> None:
    history = PairingHistory.from_state(play_rounds((3, 3), 24, 4))
    assert max(history.partnerships.values()) == 1


def test_tables_have_similar_scores() -> None:
    """Scores are much closer than at random tables."""
    state = play_rounds((1, 1, 1, 1), 64, 3)
    scores = PairingHistory.from_state(state).scores
    spread = [
        max(scores[i] for i in table) - min(scores[i] for i in table)
        for table in entrants_of(state)
    ]
    assert sum(spread) / len(spread) < (max(scores) - min(scores)) / 4
    means = [sum(scores[i] for i in table) for table in entrants_of(state)]
    assert sum(a < b for a, b in combinations(means, 2)) < len(means)  # the best table first


def test_sides_are_even() -> None:
    """The best plays with the last of four entrants that have never been partners."""
    points = ((1.0, 0.0), (0.75, 0.25), (0.5, 0.5), (0.5, 0.5))
    first_round = tuple(Meeting((i, 7 - i), points[i], (0.0, 0.0), 1) for i in range(4))
    # Sides of one so far: no entrant has had a partner.
    history = PairingHistory.from_state(State(entrants=8, sides=2, seed="s", rounds=(first_round,)))
    state = State(entrants=8, sides=2, seed="s", sizes=(2, 2))
    sums = []
    for table in seat_tables(state, [0, 1, 2, 5, 3, 4, 6, 7], history, "lot"):
        sides = [sum(history.points[i] for i in side) for side in state.teams(table)]
        splits = [
            abs(sum(history.points[i] for i in one) * 2 - sum(history.points[i] for i in table))
            for one in combinations(table, 2)
        ]
        assert abs(sides[0] - sides[1]) == pytest.approx(min(splits))
        sums.append(sides)
    assert len(sums) == 2


def test_the_lot_decides_between_equal_splits() -> None:
    state = State(entrants=4, sides=2, seed="s", sizes=(2, 2))
    assert len({tuple(entrants_of(state, str(lot))) for lot in range(20)}) == 3
    assert entrants_of(state, "one") == entrants_of(state, "one")
