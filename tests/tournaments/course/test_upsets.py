"""Upsets: unlikely results between entrants whose ratings can be compared."""

import pytest

from tournaments.course.rounds import PairingResult, RoundNumber
from tournaments.course.upsets import PastRating, upsets
from tournaments.deal_groups import Entrant

STRONG, WEAK = PastRating(1400, 7), PastRating(1200, 7)
RATINGS: dict[Entrant, PastRating] = {"s": STRONG, "w": WEAK}


def pairing(points: tuple[float, float], *, is_open: bool = False) -> PairingResult:
    return PairingResult(RoundNumber(1, 1), ("s", "w"), points, groups=2, open=is_open)


def test_a_win_or_draw_of_the_weaker_side_is_an_upset() -> None:
    results = [pairing((1.5, 0.5)), pairing((1, 1)), pairing((0.5, 1.5))]
    draw, win = sorted(upsets(results, RATINGS, 4), key=lambda upset: not upset.drawn)
    for upset in (draw, win):
        assert (upset.weaker, upset.stronger, upset.gap) == (("w",), ("s",), 200)
        assert upset.chance == pytest.approx(0.2403, abs=1e-4)
    assert (draw.drawn, win.drawn) == (True, False)
    assert upsets(results, RATINGS, 1) == [win]
    assert not upsets([pairing((0, 1), is_open=True)], RATINGS, 4)


def test_a_difference_shows_less_in_a_short_format() -> None:
    (win,) = upsets([pairing((0, 2))], RATINGS, 4, slope=0.5)
    assert win.chance == pytest.approx(0.3599, abs=1e-4)
    assert not upsets([pairing((1, 1))], RATINGS, 4, slope=0.5)


@pytest.mark.parametrize("other", [PastRating(1200, 8), PastRating(1200, None), None])
def test_ratings_of_different_components_are_not_compared(other: PastRating | None) -> None:
    ratings = {name: rating for name, rating in {**RATINGS, "w": other}.items() if rating}
    assert not upsets([pairing((0, 2))], ratings, 4)
