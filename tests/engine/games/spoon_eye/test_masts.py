from hypothesis import assume, given
from hypothesis import strategies as st

from engine.cards import CODE, parse_cards
from engine.games.spoon_eye import masts
from engine.games.spoon_eye.masts import Mast


def mast(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text.split()))


def test_values_of_cards() -> None:
    # SPO-2, SPO-7, SPO-8, SPO-9
    assert masts.values(mast("JC 2D JS JH QC AD JD")) == [10, 2, 2, 2, 10, 1, 1]
    assert masts.value(mast("KS 9D")) == 19


def test_values_with_one_more_card() -> None:
    assert Mast(mast("KS 9D")).value_with(CODE["2C"]) == 21
    assert Mast(mast("KS 5D")).value_with(CODE["JC"]) == 20


def test_three_sevens() -> None:
    # SPO-45: exactly three cards, each counting seven
    for text in ("7C 7D 7H", "7C 7D JH", "7C JD 7H", "7C JD JH"):
        assert masts.is_three_sevens(mast(text)), text
    for text in ("JC 7D 4H", "7C 4D KH", "7C 7D", "7C 7D 5S 2S"):
        assert not masts.is_three_sevens(mast(text)), text


@given(st.lists(st.integers(0, 51), min_size=1, max_size=4, unique=True), st.integers(0, 51))
def test_a_mast_measures_what_a_further_card_counts(cards: list[int], card: int) -> None:
    assume(masts.value(tuple(cards)) <= 21)
    mast = Mast(tuple(cards))
    expected = masts.value((*cards, card))
    assert mast.value_with(card) == expected
    # SPO-10: the card fits if the mast stays within 21
    assert mast.fitting >> masts.added_value(card, 0) & 1 == (expected <= 21)
