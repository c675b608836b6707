"""Who sits where: the draw for partners and seats (CAN-7). Organizers use it before a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.cards import FIRST_JOKER, texts
from engine.game import Format
from engine.shuffle import shuffled

DRAW: Final = 2**64 - 1  # the deal number whose shuffle is drawn from
_SEATS: Final = (0, 2, 1, 3)  # of the highest, its partner, and the others


class Drawn(NamedTuple):
    """The draw: `seats` and the texts of the `cards` drawn, both by entrant in entry order."""

    seats: list[int]
    cards: list[list[str]]


class _Draw:
    """Cards drawn one after the other from the top of a deck."""

    def __init__(self, deck: Sequence[int], entrants: int) -> None:
        self.deck: Sequence[int] = deck
        self.at: int = 0
        self.cards: list[list[int]] = [[] for _ in range(entrants)]

    def settle(self, group: list[int]) -> list[int]:
        """The entrants of `group` (in entry order), highest card first."""
        waiting = group
        while waiting:  # a joker is drawn again
            for entrant in waiting:
                self.cards[entrant].append(self.deck[self.at])
                self.at += 1
            waiting = [entrant for entrant in waiting if self.cards[entrant][-1] >= FIRST_JOKER]
        height = {entrant: _height(self.cards[entrant][-1]) for entrant in group}
        order: list[int] = []
        for value in sorted(set(height.values()), reverse=True):  # the best equal group first
            equal = [entrant for entrant in group if height[entrant] == value]
            order += self.settle(equal) if len(equal) > 1 else equal
        return order


def _height(card: int) -> tuple[int, int]:
    """A is high, 2 low; then spades, hearts, diamonds, clubs."""
    rank, suit = card >> 2, card & 3
    return (13 if rank == 0 else rank, suit)


def draw_seats(fmt: Format, seed: str) -> Drawn:
    """CAN-7: seats and partners by lot for a table of `2v2`; ValueError for another table."""
    if fmt.table != "2v2":
        raise ValueError(f"Seats are drawn for 2v2; {fmt} has fixed partners.")
    draw = _Draw(shuffled(fmt.spec.pack(fmt), seed, DRAW), fmt.seats)
    order = draw.settle(list(range(fmt.seats)))
    seats = [0] * fmt.seats
    for place, entrant in enumerate(order):
        seats[entrant] = _SEATS[place]
    return Drawn(seats, [texts(cards) for cards in draw.cards])
