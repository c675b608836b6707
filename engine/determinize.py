"""Completes a view to a playable deal, with random cards in hidden places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import parse_cards
from engine.deals import BaseDeal
from engine.states import unused_cards


def deal_hidden(
    deal: BaseDeal,
    view: Mapping[str, Any],
    pack: Sequence[int],
    open_piles: Sequence[Sequence[int]],
    rng: Random,
    known_cards: Sequence[Sequence[int]] = (),
) -> None:
    """Fill hands and stock of `deal` in a way that is consistent with the view.

    `pack`: all cards of the format. `known_cards`: by seat, cards that the viewer knows to be in
    that hand (empty if none). The spectators' view hides nothing. ValueError if the view has more
    cards than the pack.
    """
    if view["seat"] is None:
        deal.hands = [sorted(parse_cards(hand)) for hand in view["hands"]]
        deal.stock = parse_cards(view["stock_cards"])
        return
    hands = [list(cards) for cards in known_cards] if known_cards else [[] for _ in deal.hands]
    hands[view["seat"]] = parse_cards(view["hand"])
    unseen = unused_cards(pack, [*hands, *open_piles])
    if unseen is None:
        raise ValueError("This is not a view of a seat: it shows more cards than the packs have.")
    sizes = view["hand_sizes"]
    missing = [size - len(hand) for size, hand in zip(sizes, hands, strict=True)]
    if min(missing) < 0 or missing[view["seat"]]:
        raise ValueError("hand_sizes do not match the hands that the view shows.")
    if not 0 <= view["stock"] <= len(unseen) - sum(missing):
        raise ValueError(
            "This is not a seat's view: hands and stock have more cards than are unseen."
        )
    shuffle_in_place(unseen, rng)
    offset = 0
    for seat, count in enumerate(missing):
        deal.hands[seat] = sorted(hands[seat] + unseen[offset : offset + count])
        offset += count
    deal.stock = unseen[offset : offset + view["stock"]]


def shuffle_in_place(cards: list[int], rng: Random) -> None:
    """Shuffle `cards` uniformly (Fisher-Yates).

    This is many times faster than `Random.shuffle`. A random float has 53 bits, so the
    probabilities of two orders differ by less than a part in a billion.
    """
    rand = rng.random
    for last in range(len(cards) - 1, 0, -1):
        other = int(rand() * (last + 1))
        cards[last], cards[other] = cards[other], cards[last]
