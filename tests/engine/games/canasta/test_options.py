"""Variants, options and their consequences (section 1)."""

from typing import Any

import pytest

from engine import Format
from engine.games.canasta import GAME


def rules(text: Any) -> Any:
    return Format.parse(f"canasta/{text}").rules


def test_tables_of_the_variants() -> None:
    # CAN-4, CAN-77, CAN-79, CAN-80, CAN-81
    tables = {variant.name: set(variant.tables) for variant in GAME.variants}
    everywhere = {"1v1", "ffa3", "2v2", "3v3", "2v2v2", "1v2", "3v2-rest", "3v3-rest"}
    assert tables["classic"] == tables["pre-1951"] == tables["english"] == everywhere
    assert tables["us-official"] == everywhere
    assert tables["draw-two"] == tables["windows-2.5"] == {"1v1"}
    assert tables["as-four"] == {"3v3", "2v2v2"}
    with pytest.raises(ValueError, match="is not played at 2v2"):
        Format.parse("canasta/draw-two/2v2")


def test_sides() -> None:
    # CAN-4, CAN-6
    assert rules("classic/2v2").sides == [[0, 2], [1, 3]]
    assert rules("classic/3v3").sides == [[0, 2, 4], [1, 3, 5]]
    assert rules("classic/2v2v2").sides == [[0, 3], [1, 4], [2, 5]]
    assert rules("classic/3v2-rest").sides == [[0, 2, 4], [1, 3]]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # packs, hand, draw, target, canastas, six, top150, stop
        ("classic/2v2", (2, 11, 1, 5000, 1, False, False, False)),
        ("classic/1v1", (2, 15, 1, 5000, 1, False, False, False)),
        ("classic/ffa3", (2, 13, 1, 5000, 1, False, False, False)),
        ("classic/1v2", (2, 13, 2, 7500, 1, False, False, True)),
        ("classic/3v2-rest", (2, 11, 1, 5000, 1, False, False, False)),
        ("classic/3v3-rest", (2, 11, 1, 5000, 1, False, False, False)),
        ("classic/3v3", (3, 13, 1, 10_000, 1, True, True, False)),
        ("classic/2v2v2", (3, 13, 1, 7500, 1, True, False, False)),
        ("as-four/3v3", (2, 11, 1, 5000, 1, False, False, False)),
        ("as-four/2v2v2", (2, 11, 1, 5000, 1, False, False, False)),
        ("draw-two/1v1", (2, 15, 2, 5000, 2, False, False, False)),
    ],
)
def test_numbers_of_the_tables(text: Any, values: Any) -> None:
    # CAN-1, CAN-8, CAN-16, CAN-22, CAN-33, CAN-50, CAN-60, CAN-66, CAN-70, CAN-77, CAN-78
    r = rules(text)
    numbers = (r.packs, r.hand, r.draw, r.target, r.canastas, r.red3_six, r.top150, r.stop)
    assert numbers == values


def test_switches_of_the_variants() -> None:
    # CAN-80, CAN-81
    pre_1951, classic = rules("pre-1951/2v2"), rules("classic/2v2")
    assert (pre_1951.wildcanasta, pre_1951.wildblack3, pre_1951.coverblack3, pre_1951.tworank) == (
        True,
        True,
        False,
        True,
    )
    assert (classic.wildcanasta, classic.wildblack3, classic.tworank) == (False, False, False)
    assert not rules("english/2v2").coverblack3
    us = rules("us-official/2v2")
    assert (us.own_canasta_counts, us.exempt, us.onecard) == (True, True, False)
    windows = rules("windows-2.5/1v1")
    assert windows.pair
    assert (windows.lay, windows.draw, windows.canastas, windows.nocanasta) == (True, 1, 1, False)
    assert (windows.red3draw, windows.red3discard, windows.topcounts) == (True, False, True)
    assert windows.startfrozen


@pytest.mark.parametrize(
    "text",
    ["deals=0", "target=0", "packs=4", "hand=16", "hand=0", "draw=3", "lay=1", "last3=x", "red3=5"],
)
def test_values_out_of_range_are_refused(text: Any) -> None:
    # CAN-66
    name = text.partition("=")[0]
    with pytest.raises(ValueError, match=f"Option {name} cannot be"):
        Format.parse(f"canasta/classic/2v2?{text}")


def test_every_option_names_its_clause() -> None:
    document = {f"CAN-{number}" for number in range(1, 98)}
    assert all(option.clause in document for option in GAME.options)
    assert len(GAME.options) == 26


def test_minimum() -> None:
    # CAN-33
    two_sides, top = rules("classic/2v2"), rules("classic/3v3")
    steps = [(-5, 15), (0, 50), (1495, 50), (1500, 90), (2995, 90), (3000, 120), (9000, 120)]
    assert all(two_sides.minimum(score) == points for score, points in steps)
    assert (top.minimum(6995), top.minimum(7000)) == (120, 150)
