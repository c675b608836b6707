"""PAK-8, PAK-9: forces against all arrangements of pairs; groups against all subsets."""

from itertools import combinations
from random import Random

from engine.cards import pack, parse_cards
from engine.games.paks.force import PLAIN, Group, Suit, force, is_low, price

PAIRS = {
    (5, 5): 55,
    (4, 5): 54,
    (3, 5): 53,
    (2, 5): 52,
    (4, 4): 44,
    (3, 4): 43,
    (2, 4): 42,
    (3, 3): 33,
    (2, 3): 32,
    (2, 2): 22,
}


def best_arrangement(pips: tuple[int, ...]) -> int:
    """The best total over all ways of pairing, by the table of PAK-8."""
    if not pips:
        return 0
    head, tail = pips[0], pips[1:]
    max_forces = head + best_arrangement(tail)
    for index, other in enumerate(tail):
        pair = PAIRS[min(head, other), max(head, other)]
        max_forces = max(max_forces, pair + best_arrangement(tail[:index] + tail[index + 1 :]))
    return max_forces


def slow_force(cards: Group) -> int:
    pips = tuple(PLAIN[card >> 2] for card in cards if is_low(card))
    return best_arrangement(pips) + price([card for card in cards if not is_low(card)])


def hands(count: int, size: int) -> list[list[int]]:
    rng = Random(f"paks {count}")
    spades = [card for card in pack() * 2 if card & 3 == 3]
    return [sorted(rng.sample(spades, rng.randint(1, size))) for _ in range(count)]


def test_force_is_the_best_arrangement() -> None:
    for cards in hands(300, 9):
        assert force(cards) == slow_force(tuple(cards))


def test_groups_and_lean_groups_equal_those_of_all_subsets() -> None:
    rng = Random("prices")
    for cards in hands(120, 9):
        suit = Suit(cards)
        for cost in (0, rng.randint(1, 25), rng.randint(20, 160)):
            groups_with_cost: list[tuple[int, Group, int]] = []
            for size in range(1, len(cards) + 1):
                groups = sorted(set(combinations(cards, size)))
                expected = [(group, force(group)) for group in groups if force(group) > cost]
                assert list(suit.groups(size, cost)) == expected
                groups_with_cost += [(size, group, strength) for group, strength in expected]
            cheapest = min(
                groups_with_cost,
                key=lambda entry: (entry[0], entry[2], entry[1]),
                default=(0, (), 0),
            )
            assert suit.cheapest_group(cost) == cheapest[1]


def test_more_cards_never_reduce_force() -> None:
    """PAK-17."""
    for cards in hands(100, 14):
        max_forces = Suit(cards).max_forces
        assert max_forces == sorted(max_forces)
        assert max_forces[-1] == force(cards)


def test_the_work_grows_with_the_requested_groups() -> None:
    """A hand with all 26 cards of a suit has 1.6 million groups; the first come quickly."""
    suit = Suit(parse_cards([rank + "S" for rank in "A23456789TJQK"] * 2))
    for cost in (5, 40, 200, 330):
        size = next(size for size, max_forces in enumerate(suit.max_forces) if max_forces > cost)
        suit.nodes = 0
        groups = suit.groups(size, cost)
        first_groups = [group for group, _ in zip(groups, range(500), strict=False)]
        assert suit.nodes <= 26 * size * len(first_groups)
        assert len(suit.cheapest_group(cost)) == size
