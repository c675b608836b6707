"""A view made playable: hidden cards dealt at random among what is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import parse_cards
from engine.deals import BaseDeal
from engine.states import rest_of


def deal_hidden(
    deal: BaseDeal,
    view: Mapping[str, Any],
    pack: Sequence[int],
    seen: Sequence[Sequence[int]],
    rng: Random,
    held: Sequence[Sequence[int]] = (),
) -> None:
    """Fill hands and stock of `deal` in a way that the seat of `view` cannot rule out.

    `pack`: all cards of the format. `seen`: the piles that lie open. `held`: by seat, what the
    seat knows to be in hands of others (left out: nothing). In the spectators' view all is known.
    ValueError if the view shows more than there is.
    """
    if view["seat"] is None:
        deal.hands = [sorted(parse_cards(hand)) for hand in view["hands"]]
        deal.stock = parse_cards(view["stock_cards"])
        return
    hands = [list(cards) for cards in held] if held else [[] for _ in deal.hands]
    hands[view["seat"]] = parse_cards(view["hand"])
    unseen = rest_of(pack, [*hands, *seen])
    if unseen is None:
        raise ValueError("This is not a view of a seat: it shows more cards than the packs have.")
    sizes = view["hand_sizes"]
    missing = [size - len(hand) for size, hand in zip(sizes, hands, strict=True)]
    if min(missing) < 0 or missing[view["seat"]]:
        raise ValueError("hand_sizes do not go with the cards of hands that the view shows.")
    drawn = rng.sample(unseen, sum(missing) + view["stock"])
    for seat, count in enumerate(missing):
        deal.hands[seat] = sorted(hands[seat] + drawn[:count])
        del drawn[:count]
    deal.stock = drawn
