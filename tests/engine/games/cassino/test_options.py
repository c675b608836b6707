from typing import Any

import pytest

from engine import Format


def rules(text: Any) -> Any:
    return Format.parse(text).rules


def test_numbers_of_the_variants() -> None:
    # CAS-8, CAS-41, CAS-42, CAS-43, CAS-44
    assert rules("cassino/standard/1v1").number == [*range(1, 11), 0, 0, 0]
    royal = rules("cassino/royal-spade/1v1")
    assert royal.number == royal.takes == list(range(1, 14))
    assert royal.spade
    assert royal.top == 13
    ace_high = rules("cassino/royal/1v1?ace_high=true")
    assert (ace_high.number[0], ace_high.takes[0], ace_high.top) == (1, 14, 14)
    assert [ace_high.holder(number) for number in (2, 10, 13, 14)] == [1, 9, 12, 0]


@pytest.mark.parametrize("option", ["end=count", "end=declare", "settle=stakes", "tie=draw"])
def test_without_a_target_dependent_options_are_refused(option: Any) -> None:
    # CAS-39, CAS-40
    with pytest.raises(ValueError, match=f"{option} cannot apply"):
        Format.parse(f"cassino/standard/1v1?target=0&{option}")


def test_defaults_depend_on_target_and_variant() -> None:
    assert Format.parse("cassino/standard/1v1?target=0&tie=deal").options["target"] == 0
    assert rules("cassino/spade/ffa3").target == rules("cassino/royal-spade/2v2").target == 61
    assert rules("cassino/royal/ffa3").target == 21


def test_four_are_partners() -> None:
    # CAS-1
    assert rules("cassino/standard/2v2").side_of == [0, 1, 0, 1]
    assert rules("cassino/standard/ffa3").side_of == [0, 1, 2]
