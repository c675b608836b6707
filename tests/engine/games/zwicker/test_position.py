from random import Random
from typing import Any

import pytest

from engine import Match


@pytest.mark.parametrize(
    ("name", "state", "message"),
    [
        ("grupp/1v1", {"sweeps": []}, "has no 'sweeps'"),
        ("grupp/1v1", {"hands": [[], ["2C"]]}, "Seat 0 is to move"),
        ("grupp/1v1", {"hands": [["2C"]], "table": ["2C"]}, "2C occurs more often"),  # ZWI-2
        ("grupp/1v1", {"hands": [["X15"]]}, "X15 occurs more often"),
        ("christiansen/1v1", {"hands": [["X"]]}, "X occurs more often"),
        ("grupp/1v1", {"hands": [["2C"]], "table": ["[4C+5C=10]"]}, "cannot be built"),  # ZWI-17
        ("grupp/1v1", {"hands": [["2C"]], "table": ["[4C+X=5]"]}, "cannot be built"),  # ZWI-22
        ("grupp/1v1", {"hands": [["2C"]], "table": ["[9C+QC=22]"]}, "cannot be built"),
        ("christiansen/1v1", {"hands": [["2C"]], "table": ["[9C+TC=19]"]}, "cannot"),  # ZWI-36
        ("grupp/1v1", {"hands": [["2C"]], "table": ["nonsense"]}, "is not an item"),
        ("grupp/1v1", {"hands": [["2C"]], "table": ["4C"], "by": [7]}, "names seats 0 to 1"),
        ("grupp/1v1", {"hands": [["2C"]], "zwicks": [2]}, "names seats 0 to 1"),
        ("grupp/1v1", {"hands": [["2C"]], "scores": [1]}, "scores is a list"),
        ("grupp/1v1", {"hands": [["2C"]], "deal": 50}, "deal is a whole number"),
        ("grupp/1v1", {"hands": [["2C"]], "captured": {"4": []}}, "there is no '4'"),
        ("christiansen/1v1", {"hands": [["2C"]], "stock": ["3C"]}, "multiple of 16"),  # ZWI-5
    ],
)
def test_malformed_positions(name: Any, state: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=message):
        Match.from_position(f"zwicker/{name}", state)


def test_a_view_that_shows_too_much_is_refused() -> None:
    view = Match("zwicker/grupp/1v1", seed="view").view(0)
    view["captured"] = [[view["hand"][0]], [view["hand"][0]] * 12]
    with pytest.raises(ValueError, match="more cards than the packs have"):
        Match.from_view(view, Random(1))


@pytest.mark.parametrize("name", ["grupp/ffa5", "christiansen/ffa3"])
def test_a_spectators_view_restores_the_whole_position(name: Any) -> None:
    match = Match(f"zwicker/{name}", seed="spectators")
    for _ in range(20):
        match.play(match.legal_moves()[-1])
    other = Match.from_view(match.view(None), Random(1))
    assert other.view(None) == match.view(None)
