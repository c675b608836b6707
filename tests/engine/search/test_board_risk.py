"""The first look at Zwicker: what a move leaves to jokers, and what the own hand is worth."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine import Format
from engine.cards import CODE, parse_cards
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.items import ZwickerItem, insert
from engine.games.zwicker.options import ZwickerRules
from engine.search.advice import adviser_of
from engine.search.advice.zwicker import JOKERS, ZWICK

FORMAT = Format.parse("zwicker/grupp/ffa4")
ADVISER = adviser_of(FORMAT)


def position(
    hand: Sequence[str], loose: Sequence[str], builds: Sequence[tuple[Sequence[str], int]] = ()
) -> ZwickerDeal:
    """Seat 0 is to act; nobody has captured a card yet."""
    rules = FORMAT.rules
    assert isinstance(rules, ZwickerRules)
    deal = ZwickerDeal(rules, [])
    deal.turn = deal.to_act = 0
    for card in loose:
        insert(deal.table, rules.loose[CODE[card]])
    for cards, number in builds:
        insert(deal.table, ZwickerItem(sorted(CODE[card] for card in cards), (number,), 1))
    deal.hands[0] = sorted(parse_cards(list(hand)))
    there = set(deal.hands[0]).union(*(item.cards for item in deal.table))
    rest = [card for card in range(52) if card not in there]
    for seat in range(1, rules.seats):
        deal.hands[seat] = rest[seat :: rules.seats][:4]
    return deal


def weights(deal: ZwickerDeal) -> dict[str, float]:
    return dict(zip(deal.legal(), ADVISER.weigh(deal), strict=True))


@pytest.mark.parametrize("taken", [0b10, 0b01])
def test_a_joker_clears_a_table_by_the_number_that_is_left(taken: int) -> None:
    """Whichever of its numbers took most before."""
    deal = position(["3D", "QC", "4C"], [], [(("2D", "JD"), 14), (("4H", "9H"), 13)])
    gains = ADVISER._board_risk(deal).after_capture(taken)
    assert gains[JOKERS] > ZWICK


def test_a_card_that_is_worth_much_in_the_own_hand_is_counted_as_what_it_is() -> None:
    """Next time the ten of diamonds brings ten points, another ten nothing."""
    dear = weights(position(["TD", "KS"], ["6C", "4C"]))
    plain = weights(position(["TS", "KS"], ["6C", "4C"]))
    assert dear["KS"] > plain["KS"] + 1
