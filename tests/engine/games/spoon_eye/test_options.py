"""The rules of each format (section 1)."""

from typing import Any

import pytest

from engine import Format


def rules(text: str) -> Any:
    return Format.parse(f"spoon-eye/{text}").rules


def test_the_variants_differ_in_their_switches() -> None:
    # SPO-36 to SPO-51
    basic, standard = rules("basic/1v1"), rules("standard/1v1")
    for name in ("bonus", "double", "nest", "opening", "sevens"):
        assert getattr(basic, name) is False, name
        assert getattr(standard, name) is True, name
    assert (basic.target, standard.target) == (0, 100)  # SPO-48
    assert rules("basic/1v1?nest=true&run=2").run == 2


@pytest.mark.parametrize(
    ("table", "sides", "opponents"),
    [
        ("1v1", [[0], [1]], [[1], [0]]),
        ("ffa3", [[0], [1], [2]], [[1, 2], [2, 0], [0, 1]]),
        ("2v2", [[0, 2], [1, 3]], [[1, 3], [2, 0], [3, 1], [0, 2]]),
    ],
)
def test_opponents_go_clockwise_from_the_left(table: Any, sides: Any, opponents: Any) -> None:
    # SPO-52, SPO-56
    table_rules = rules(f"standard/{table}")
    assert table_rules.sides == sides
    assert table_rules.opponents == opponents
    for seat, others in enumerate(opponents):
        assert all(table_rules.side_of[seat] != table_rules.side_of[other] for other in others)
