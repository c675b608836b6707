"""Groups of small hands, compared with the search for any hand."""

from itertools import combinations
from random import Random

from engine.cards import TEXT, pack
from engine.games.paks.force import Suit, force
from engine.games.paks.groups import cheapest_group, extend, groups, is_small_search
from engine.games.paks.moves import lazy_plays
from engine.games.paks.plays import END_PLAY, Play, Target


def cards_of(rng: Random, size: int) -> list[int]:
    """Cards of two packs, in card order."""
    return sorted(rng.sample(pack() * 2, size))


def targets_of(rng: Random, cards: list[int]) -> list[Target]:
    """Some targets in the suits of the hand that the hand can beat."""
    targets = []
    for number in range(rng.randint(1, 4)):
        card = rng.choice(cards)
        max_force = force([other for other in cards if other & 3 == card & 3])
        targets.append(
            Target(card & 3, rng.randint(1, max_force - 1) if max_force > 1 else 0, number)
        )
    return targets


def test_all_groups_are_listed_once_by_size_and_card_order() -> None:
    rng = Random("groups")
    for _ in range(60):
        cards = cards_of(rng, rng.randint(0, 9))
        expected = [
            group
            for size in range(1, len(cards) + 1)
            for group in sorted(set(combinations(cards, size)))
            if len({card & 3 for card in group}) == 1
        ]
        actual = groups(cards)
        assert [group.cards for group in actual] == expected
        assert [group.force for group in actual] == [force(group) for group in expected]


def test_the_cheapest_group_for_a_target() -> None:
    """PAK-17: none has more force than all cards together."""
    rng = Random("lean")
    for _ in range(200):
        cards = [card for card in cards_of(rng, rng.randint(4, 24)) if card & 3 == 1]
        price = rng.randint(0, force(cards))
        cheapest = cheapest_group(groups(cards), price)
        assert (cheapest is None) == (price == force(cards))
        if cheapest is not None:
            assert cheapest.cards == Suit(cards).cheapest_group(price)


def test_both_methods_give_the_same_list() -> None:
    """PAK-18: section 4's order, with leans first."""
    rng = Random("ways")
    for _ in range(150):
        cards = cards_of(rng, rng.randint(1, 10))
        targets = targets_of(rng, cards)
        suits = {target.suit for target in targets}
        cards = [card for card in cards if card & 3 in suits]
        expected = [END_PLAY]
        assert extend(expected, cards, targets) is False
        assert [play.text for play in expected] == [
            "end",
            *(
                f"pak:{'+'.join([TEXT[card] for card in group])}>{TEXT[target.card]}"
                for group, target in lazy_plays(cards, targets)
            ),
        ]


def test_a_cut_list_is_marked() -> None:
    spades = sorted(card for card in pack() if card & 3 == 3)[:10]
    plays: list[Play] = []
    assert extend(plays, spades, [Target(3, 2, 7)]) is True
    assert len(plays) == 512
    assert plays[0].text == "pak:3S>2S"


def test_many_groups_or_targets_use_the_search() -> None:
    cards = sorted(card for card in pack() if card & 3 == 3)
    target = Target(3, 2, 7)
    assert is_small_search(cards[:8], [target])
    assert not is_small_search(cards, [target])
    assert not is_small_search(cards[:8], [target] * 20)
