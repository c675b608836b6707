"""Formats and options (PAK-1, PAK-2, PAK-38, PAK-41)."""

from typing import Any

import pytest

from engine import Format


@pytest.mark.parametrize("options", ["deals=0", "deals=201", "target=49", "target=5001", "x=1"])
def test_options_out_of_range(options: Any) -> None:
    with pytest.raises(ValueError, match=r"Option|option"):
        Format.parse(f"paks/standard/1v1?{options}")


@pytest.mark.parametrize("table", ["ffa4", "ffa5", "ffa6", "2v2v2"])
def test_unknown_table_forms_are_refused(table: Any) -> None:
    """PAK-1."""
    with pytest.raises(ValueError, match="table"):
        Format.parse(f"paks/standard/{table}")


@pytest.mark.parametrize(
    ("table", "seats", "packs", "partners"),
    [("1v1", 2, 1, [0]), ("ffa3", 3, 2, [0]), ("2v2", 4, 2, [0, 2]), ("3v3", 6, 2, [0, 2, 4])],
)
def test_packs_and_sides_of_each_table_form(
    table: Any, seats: Any, packs: Any, partners: Any
) -> None:
    """PAK-2: one pack for two, else two; PAK-1: partners sit across."""
    fmt = Format.parse(f"paks/standard/{table}?target=60")
    rules = fmt.rules
    assert (rules.seats, rules.packs, rules.target, rules.deals) == (seats, packs, 60, 50)
    assert rules.sides[0] == partners
    assert [rules.side_of[seat] for seat in partners] == [0] * len(partners)
    assert len(fmt.spec.pack(fmt)) == 52 * packs
    assert rules.text == str(fmt)
