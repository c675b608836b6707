"""The first look at Zwicker: risks by jokers, and the value of the own hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine import Format
from engine.cards import CODE, parse_cards
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.items import ZwickerItem, insert
from engine.games.zwicker.options import ZwickerRules
from engine.search.advisers import adviser_of
from engine.search.advisers.zwicker import JOKERS, ZWICK

FORMAT = Format.parse("zwicker/grupp/ffa4")
ADVISER = adviser_of(FORMAT)


def position(
    hand: Sequence[str], loose: Sequence[str], builds: Sequence[tuple[Sequence[str], int]] = ()
) -> ZwickerDeal:
    """A position in which seat 0 is to act and no card has been captured."""
    rules = FORMAT.rules
    assert isinstance(rules, ZwickerRules)
    deal = ZwickerDeal(rules, [])
    deal.turn = deal.to_act = 0
    for card in loose:
        insert(deal.table, rules.loose[CODE[card]])
    for cards, number in builds:
        insert(deal.table, ZwickerItem(sorted(CODE[card] for card in cards), (number,), 1))
    deal.hands[0] = sorted(parse_cards(list(hand)))
    visible = set(deal.hands[0]).union(*(item.cards for item in deal.table))
    hidden = [card for card in range(52) if card not in visible]
    for seat in range(1, rules.seats):
        deal.hands[seat] = hidden[seat :: rules.seats][:4]
    return deal


def weights(deal: ZwickerDeal) -> dict[str, float]:
    return dict(zip(deal.legal(), ADVISER.weigh(deal), strict=True))


@pytest.mark.parametrize("taken", [0b10, 0b01])
def test_a_joker_clears_a_table_by_the_remaining_number(taken: int) -> None:
    """This holds for any number that took most before."""
    deal = position(["3D", "QC", "4C"], [], [(("2D", "JD"), 14), (("4H", "9H"), 13)])
    gains = ADVISER._board_risk(deal).after_capture(taken)
    assert gains[JOKERS] > ZWICK


def test_a_valuable_card_in_the_own_hand_counts_by_its_value() -> None:
    """Later the ten of diamonds brings ten points, another ten none."""
    dear = weights(position(["TD", "KS"], ["6C", "4C"]))
    other_weights = weights(position(["TS", "KS"], ["6C", "4C"]))
    assert dear["KS"] > other_weights["KS"] + 1
