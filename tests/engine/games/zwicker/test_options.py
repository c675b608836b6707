from typing import Any

import pytest

from engine import Format


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("zwicker/grupp/1v1?deals=0", "1 to 200"),  # ZWI-43
        ("zwicker/grupp/1v1?deals=201", "1 to 200"),
        ("zwicker/grupp/1v1?target=10000", "0 to 9999"),  # ZWI-41
        ("zwicker/grupp/1v1?joker_table=ace", "any, joker or never"),  # ZWI-24, ZWI-25
        ("zwicker/grupp/1v1?trail=no", "free or forced"),  # ZWI-15
        ("zwicker/grupp/1v1?settle=beer", "none, differences or last-pays"),  # ZWI-44, ZWI-45
        ("zwicker/christiansen/1v1?joker_single=true", "only in grupp"),  # ZWI-27
        ("zwicker/christiansen/1v1?joker_table=any", "only in grupp"),
        ("zwicker/christiansen/1v1?joker_zwick=true", "only in grupp"),  # ZWI-26
        ("zwicker/christiansen/ffa5", "not played at ffa5"),  # ZWI-1
        ("zwicker/grupp/2v2", "No table form"),
        ("zwicker/grupp/1v1?target=0&tie=draw", "tie=draw cannot apply"),  # ZWI-42
    ],
)
def test_unknown_options_are_refused(text: Any, clause: Any) -> None:
    with pytest.raises(ValueError, match=clause):
        Format.parse(text)


def test_targets_differ_by_variant() -> None:
    """ZWI-41."""
    assert Format.parse("zwicker/grupp/1v1").options["target"] == 50
    assert Format.parse("zwicker/christiansen/1v1").options["target"] == 100


def test_values() -> None:
    """ZWI-14, ZWI-20, ZWI-31, ZWI-32."""
    grupp = Format.parse("zwicker/grupp/1v1").rules.values
    assert [values[0] for values in grupp[:52:4]] == [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
    assert grupp[52] == tuple(range(2, 15))
    family = Format.parse("zwicker/christiansen/1v1").rules.values
    assert family[0] == (1, 11)
    assert family[40:52:4] == [(2, 12), (3, 13), (4, 14)]
    assert family[53:] == [(15,), (20,), (25,), (30,)]
