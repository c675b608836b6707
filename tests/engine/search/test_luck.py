"""What the cards gave: nothing on average, and much where they are good."""

from __future__ import annotations

from random import Random
from statistics import fmean, pvariance

import pytest

from engine import Match, Record
from engine.search.luck import CardLuck, card_luck, leads, luck_of_deal

FORMATS = (
    "cassino/standard/1v1?deals=1",
    "paks/standard/1v1?deals=1",
    "zwicker/grupp/ffa3?deals=1",
)


def luck_of(fmt: str, seed: str, playouts: int) -> list[float]:
    card_luck = CardLuck(Random(f"luck {seed}"), playouts)
    card_luck.add_first(Match(fmt, seed=seed))
    return card_luck.total


def test_leads_are_beside_the_mean_of_the_others() -> None:
    assert leads([5, 2]) == [3, -3]
    assert leads([6, 2, 4]) == [3, -3, 0]
    assert sum(leads([7, 1, 9, 3])) == pytest.approx(0)


@pytest.mark.parametrize("fmt", FORMATS)
def test_luck_is_nothing_on_average(fmt: str) -> None:
    """Over many shuffles, within four standard errors: of each side, by construction."""
    many = [luck_of(fmt, str(number), 2) for number in range(300)]
    for one in zip(*many, strict=True):
        assert abs(fmean(one)) < 4 * (pvariance(one) / len(one)) ** 0.5
        assert pvariance(one) > 0


@pytest.mark.parametrize("fmt", FORMATS)
def test_sides_share_the_luck(fmt: str) -> None:
    assert sum(luck_of(fmt, "shared", 5)) == pytest.approx(0, abs=1e-9)


def test_luck_knows_nothing_of_the_moves() -> None:
    """Two matches with the same shuffles, played otherwise, had the same luck."""
    records = [played("cassino/standard/1v1?deals=1", "same", Random(number)) for number in (1, 2)]
    assert records[0].moves != records[1].moves
    one, other = (card_luck(record, Random(5), 3) for record in records)
    assert one == other


def test_each_deal_has_its_luck() -> None:
    record = played("paks/standard/1v1?deals=3", "several", Random(3))
    found = card_luck(record, Random(5), 2)
    assert len(found) == 3
    assert len({tuple(each) for each in found}) == 3


def test_a_later_deal_can_be_asked_about_alone() -> None:
    """From its start it says what the walk through the record says, given the same numbers."""
    record = played("paks/standard/1v1?deals=2", "several", Random(3))
    ends = [n for n in range(len(record.moves)) if over_after(record, n)]
    rng = Random(5)
    found = CardLuck(rng, 2)
    found.add_first(record.start())
    assert luck_of_deal(record.start(), [], Random(5), 2) == found.deals[0]
    state = rng.getstate()
    alone = Random()
    alone.setstate(state)
    [_, second] = card_luck(record, Random(5), 2)
    assert luck_of_deal(record.start(), record.moves[: ends[0] + 1], alone, 2) == second


def test_luck_explains_results() -> None:
    """Of equal players, the one with the better cards does better: the noise shrinks."""
    fmt = "cassino/standard/1v1?deals=1"
    raw, rest = [], []
    for number in range(60):
        [points, _] = leads(Match(fmt, seed=str(number)).playout(Random(number), "own"))
        [luck, _] = luck_of(fmt, str(number), 20)
        raw.append(points)
        rest.append(points - luck)
    assert pvariance(rest) < 0.8 * pvariance(raw)


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
