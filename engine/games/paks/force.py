"""The values of cards in play (PAK-7 to PAK-10), and the search for groups that exceed a price.

A *group* is a set of cards of one suit that a seat plays together. Every branch of the search leads
to a group, so the work grows with the number of groups that the caller requests.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

# By rank: the plain value of a card. An ace counts 20, a face 10, others their pips (PAK-7).
PLAIN: Final[tuple[int, ...]] = (20, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)

Group = tuple[int, ...]  # cards of one suit in card order


def price(cards: list[int]) -> int:
    """The sum of the plain values of cards on the table; special pairs do not count (PAK-10).

    A group must have more force than the price of the cards that it takes.
    """
    value = 0
    for card in cards:
        value += PLAIN[card >> 2]
    return value


def is_low(card: int) -> bool:
    """Whether a card can be in a special pair: two to five (PAK-8)."""
    return 4 <= card <= 19


def pair_force(lows: Sequence[int]) -> int:
    """The force of twos to fives, given by their pips in ascending order (PAK-9).

    The upper half of them (rounded down) counts ten times, the rest once.
    """
    return sum(lows) + 9 * sum(lows[len(lows) - len(lows) // 2 :])


def _pair_force_by_counts() -> list[int]:
    """`pair_force`, indexed by the numbers of twos, threes, fours and fives, two bits for each."""
    return [
        pair_force([pips for pips in range(2, 6) for _ in range(counts >> 2 * (pips - 2) & 3)])
        for counts in range(256)
    ]


_PAIR_FORCES: Final = _pair_force_by_counts()
# By card: its contribution to the weight of a group. The low eight bits of a weight count the twos
# to fives (two packs have two of each); the bits above are the plain value of the other cards.
WEIGHT: Final = [
    1 << 2 * ((card >> 2) - 1) if is_low(card) else PLAIN[card >> 2] << 8 for card in range(52)
]


def strength(weight: int) -> int:
    """The force of a group with this weight (PAK-9)."""
    return _PAIR_FORCES[weight & 255] + (weight >> 8)


def force(cards: Sequence[int]) -> int:
    """The force of a group: its special pairs and the plain values of its other cards (PAK-9).

    Each card may occur at most twice, because there are at most two packs.
    """
    weight = 0
    for card in cards:
        weight += WEIGHT[card]
    return strength(weight)


class Suit:
    """A hand's cards of one suit, and the groups that can be played from them.

    `nodes`: the number of beginnings of groups that searches have visited. Tests limit it.
    """

    def __init__(self, cards: Sequence[int]) -> None:
        self.cards: list[int] = sorted(cards)
        self.nodes: int = 0
        # By index of a card: the pips of the twos to fives from this card on, ascending; and the
        # sums of the highest 0, 1, 2 … values of the other cards from this card on.
        self._lows_from: list[list[int]] = []
        self._others_from: list[list[int]] = []
        for place in range(len(self.cards) + 1):
            cards_from = self.cards[place:]
            self._lows_from.append([PLAIN[card >> 2] for card in cards_from if is_low(card)])
            values = sorted([PLAIN[c >> 2] for c in cards_from if not is_low(c)], reverse=True)
            sums = [0]
            for value in values:
                sums.append(sums[-1] + value)
            self._others_from.append(sums)
        self._max_force_cache: dict[tuple[Group, int, int], int] = {}
        self._sets: tuple[dict[Group, int], dict[tuple[int, int], Group]] | None = None
        self._forces_by_size: dict[int, list[int]] = {}
        self._first_groups: dict[tuple[int, int], Group] = {}
        # By number of cards: the greatest force of a group. More cards never have less (PAK-17).
        self.max_forces: list[int] = [
            self._max_force((), 0, size) for size in range(len(self.cards) + 1)
        ]

    def _max_force(self, lows: Group, place: int, count: int) -> int:
        """The greatest force of `lows` (pips) and `count` of the cards from index `place` on.

        -1 if there are too few cards. For each possible number of twos to fives, the method takes
        the highest of them and the highest other cards.
        """
        key = (lows, place, count)
        best_force = self._max_force_cache.get(key)
        if best_force is None:
            more_lows, others = self._lows_from[place], self._others_from[place]
            best_force = -1
            min_lows, max_lows = max(0, count - len(others) + 1), min(count, len(more_lows))
            for low_count in range(min_lows, max_lows + 1):
                highest_lows = more_lows[len(more_lows) - low_count :]
                total = pair_force([*lows, *highest_lows]) + others[count - low_count]
                best_force = max(best_force, total)
            self._max_force_cache[key] = best_force
        return best_force

    def groups(self, size: int, above: int) -> Iterator[tuple[Group, int]]:
        """Yield each group of `size` cards with more force than `above`, and its force.

        The groups are in card order. Groups of equal cards are yielded once.
        """
        if 0 < size < len(self.max_forces) and self.max_forces[size] > above:
            yield from self._extended_groups((), (), 0, (0, size, above))

    def _extended_groups(
        self, chosen: Group, lows: Group, others: int, steps: tuple[int, int, int]
    ) -> Iterator[tuple[Group, int]]:
        """Yield the results of `groups` that begin with the cards `chosen`.

        `lows`: the pips of the twos to fives among them. `others`: the value of the other cards.
        `steps`: the index of the next card, the number of missing cards, the force to exceed.
        """
        place, missing, above = steps
        if missing == 0:
            yield chosen, pair_force(lows) + others
            return
        previous = -1
        for index in range(place, len(self.cards) - missing + 1):
            card = self.cards[index]
            if card == previous:
                continue
            previous = card
            self.nodes += 1
            value = PLAIN[card >> 2]
            group_lows, group_others = lows, others
            if is_low(card):
                group_lows = (*lows, value)
            else:
                group_others += value
            if self._max_force(group_lows, index + 1, missing - 1) + group_others <= above:
                continue
            next_steps = (index + 1, missing - 1, above)
            yield from self._extended_groups((*chosen, card), group_lows, group_others, next_steps)

    def cheapest_group(self, cost: int) -> Group:
        """The cheapest group with more force than `cost`; empty if there is none (PAK-17).

        The cheapest group has the fewest cards; of these groups, the least force; of these, it is
        the first in card order.
        """
        size = bisect_right(self.max_forces, cost)
        if size == len(self.max_forces):
            return ()
        forces = self._possible_forces(size)
        least_force = forces[bisect_right(forces, cost)]
        key = (size, least_force)
        group = self._first_groups.get(key)
        if group is None:
            group = self._first_groups[key] = self._first_group(size, least_force)
        return group

    def _lows_and_others(self) -> tuple[dict[Group, int], dict[tuple[int, int], Group]]:
        """The force of each set of twos to fives, and sets of other cards by number and value.

        Of several sets of other cards with equal number and value, only the first in card order is
        given.
        """
        if self._sets is None:
            lows: dict[Group, int] = {(): 0}
            others: dict[tuple[int, int], Group] = {(0, 0): ()}
            for card in reversed(self.cards):
                if is_low(card):
                    lows.update({(card, *group): 0 for group in list(lows)})
                    continue
                value = PLAIN[card >> 2]
                for (count, total), group in list(others.items()):
                    # An earlier card always comes first, and equal cards are adjacent.
                    others[count + 1, total + value] = min(
                        (card, *group), others.get((count + 1, total + value), (card, *group))
                    )
            self._sets = {group: force(group) for group in lows}, others
        return self._sets

    def _possible_forces(self, size: int) -> list[int]:
        """All forces that a group of `size` cards can have, ascending."""
        forces = self._forces_by_size.get(size)
        if forces is None:
            lows, others = self._lows_and_others()
            low_sets = {(len(group), strength) for group, strength in lows.items()}
            forces_of_size = {
                strength + total
                for count, total in others
                for low_count, strength in low_sets
                if low_count + count == size
            }
            forces = self._forces_by_size[size] = sorted(forces_of_size)
        return forces

    def _first_group(self, size: int, target_force: int) -> Group:
        """The first group in card order with this size and force, which must exist."""
        lows, others = self._lows_and_others()
        groups = [
            tuple(sorted(group + others[size - len(group), target_force - low_force]))
            for group, low_force in lows.items()
            if (size - len(group), target_force - low_force) in others
        ]
        return min(groups)
