from random import Random
from typing import Any

import pytest

from engine.cards import pack, parse_cards
from engine.deals import BaseDeal
from engine.determinize import deal_hidden

VIEW = {"seat": 0, "hand": ["KD", "6C"], "hand_sizes": [2, 3, 1], "stock": 4}
SEEN = [parse_cards(["2C", "3C"]), parse_cards(["4C"])]


def dealt(seed: int, known: Any = (), **changes: Any) -> BaseDeal:
    deal = BaseDeal(3, [])
    deal_hidden(deal, {**VIEW, **changes}, pack(), SEEN, Random(seed), known)
    return deal


def test_own_cards_stay_and_unseen_cards_are_dealt() -> None:
    hands = set()
    for seed in range(20):
        deal = dealt(seed)
        assert deal.hands[0] == parse_cards(["6C", "KD"])
        assert [len(hand) for hand in deal.hands] == [2, 3, 1]
        assert len(deal.stock) == 4
        assert deal.hands[1] == sorted(deal.hands[1])
        cards = [card for pile in (*deal.hands, *SEEN, deal.stock) for card in pile]
        assert len(set(cards)) == len(cards) == 13
        hands.add(str(deal.hands))
    assert len(hands) == 20
    assert dealt(7).hands == dealt(7).hands


def test_known_cards_stay_where_they_are() -> None:
    known = [[], parse_cards(["AS", "QS"]), []]
    assert all(set(known[1]) < set(dealt(seed, known).hands[1]) for seed in range(20))


def test_spectators_see_all() -> None:
    hands = [["6C"], ["TD", "2H"], []]
    deal = dealt(1, seat=None, hands=hands, stock_cards=["9S", "3D"])
    assert deal.hands == [sorted(parse_cards(hand)) for hand in hands]
    assert deal.stock == parse_cards(["9S", "3D"])


@pytest.mark.parametrize(
    ("known", "change", "message"),
    [
        ((), {"hand": ["2C", "6C"]}, "more cards than the packs have"),
        ((), {"hand": ["6C"]}, "hand_sizes do not match"),
        ([[], [], [0, 1]], {}, "hand_sizes do not match"),
        ((), {"stock": 60}, "more cards than are unseen"),
        ((), {"stock": -1}, "more cards than are unseen"),
    ],
)
def test_impossible_views_are_refused(known: Any, change: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=message):
        dealt(1, known, **change)
