"""Card luck: zero on average, large with good cards."""

from __future__ import annotations

from random import Random
from statistics import fmean, pvariance

import pytest

from engine import Match, Record
from engine.search.card_luck import CardLuck, card_luck, leads, luck_of_deal

FORMATS = (
    "cassino/standard/1v1?deals=1",
    "paks/standard/1v1?deals=1",
    "zwicker/grupp/ffa3?deals=1",
)


def luck_of(fmt: str, seed: str, playouts: int) -> list[float]:
    card_luck = CardLuck(Random(f"luck {seed}"), playouts)
    card_luck.add_first(Match(fmt, seed=seed))
    return card_luck.total


def test_leads_are_relative_to_the_mean_of_the_others() -> None:
    assert leads([5, 2]) == [3, -3]
    assert leads([6, 2, 4]) == [3, -3, 0]
    assert sum(leads([7, 1, 9, 3])) == pytest.approx(0)


@pytest.mark.parametrize("fmt", FORMATS)
def test_luck_is_zero_on_average(fmt: str) -> None:
    """Over many shuffles, within four standard errors, for each side."""
    lucks = [luck_of(fmt, str(number), 2) for number in range(300)]
    for one in zip(*lucks, strict=True):
        assert abs(fmean(one)) < 4 * (pvariance(one) / len(one)) ** 0.5
        assert pvariance(one) > 0


@pytest.mark.parametrize("fmt", FORMATS)
def test_luck_of_the_sides_sums_to_zero(fmt: str) -> None:
    assert sum(luck_of(fmt, "shared", 5)) == pytest.approx(0, abs=1e-9)


def test_luck_does_not_depend_on_moves() -> None:
    """Two matches with the same shuffles and different moves have the same luck."""
    records = [played("cassino/standard/1v1?deals=1", "same", Random(number)) for number in (1, 2)]
    assert records[0].moves != records[1].moves
    one, other = (card_luck(record, Random(5), 3) for record in records)
    assert one == other


def test_each_deal_has_its_luck() -> None:
    record = played("paks/standard/1v1?deals=3", "several", Random(3))
    lucks = card_luck(record, Random(5), 2)
    assert len(lucks) == 3
    assert len({tuple(luck) for luck in lucks}) == 3


def test_the_luck_of_a_later_deal_can_be_computed_alone() -> None:
    """With the same random numbers it equals the luck from the whole record."""
    record = played("paks/standard/1v1?deals=2", "several", Random(3))
    ends = [n for n in range(len(record.moves)) if over_after(record, n)]
    rng = Random(5)
    card_luck_of = CardLuck(rng, 2)
    card_luck_of.add_first(record.start())
    assert luck_of_deal(record.start(), [], Random(5), 2) == card_luck_of.deals[0]
    state = rng.getstate()
    alone = Random()
    alone.setstate(state)
    [_, expected] = card_luck(record, Random(5), 2)
    assert luck_of_deal(record.start(), record.moves[: ends[0] + 1], alone, 2) == expected


def test_luck_explains_results() -> None:
    """Subtracting luck from results of equal players reduces the noise."""
    fmt = "cassino/standard/1v1?deals=1"
    raw, adjusted = [], []
    for number in range(60):
        [points, _] = leads(Match(fmt, seed=str(number)).playout(Random(number), "own"))
        [luck, _] = luck_of(fmt, str(number), 20)
        raw.append(points)
        adjusted.append(points - luck)
    assert pvariance(adjusted) < 0.8 * pvariance(raw)


def played(fmt: str, seed: str, rng: Random) -> Record:
    match = Match(fmt, seed=seed)
    while match.turn is not None:
        match.play(rng.choice(match.legal_moves()))
    return Record.of(match)


def over_after(record: Record, number: int) -> bool:
    """Whether a deal is over after the move of that number."""
    match = record.start()
    for move in record.moves[:number]:
        match.play(move)
    deals = len(match.deals)
    match.play(record.moves[number])
    return len(match.deals) > deals
