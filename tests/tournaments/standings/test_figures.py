"""Figures of a match, compared with its score sheets and events."""

from __future__ import annotations

import random

import pytest

from engine import Format, Match, Record, registry
from engine.formats import all_formats
from tournaments.standings.figures import TIME, count_figures, figures


def play(fmt: str, seed: str) -> Record:
    """A match of random moves, 3 ms each."""
    match = Match(Format.parse(fmt), seed=seed)
    rnd = random.Random(seed)
    while match.turn is not None:
        match.play(rnd.choice(match.legal_moves()))
    record = Record.of(match)
    record.clock_ms = [3] * len(record.moves)
    return record


@pytest.mark.parametrize("game", registry.BUILT_IN)
def test_every_game_has_its_own_figures_and_time(game: str) -> None:
    fmt = next(str(form) for form in all_formats() if form.game == game)
    record = play(fmt, "figures")
    counts = count_figures(record)
    names = [figure.name for figure in figures(game)]
    assert len(names) == len(set(names)) > 3
    counted_names = {name for seat in counts.seats for name in seat}
    assert counted_names <= set(names)
    assert {*counted_names, "sweeps", "zwicks"} >= set(names)
    moves = sum(seat[TIME.name][1] for seat in counts.seats)
    assert moves == len(record.moves)
    assert all(seat[TIME.name][0] == 3 * seat[TIME.name][1] for seat in counts.seats)


def test_figures_of_cassino_equal_its_score_sheets() -> None:
    record = play("cassino/standard/2v2", "sheets")
    sheets = [deal["sheet"] for deal in record.verify().deals]
    counts = count_figures(record)
    assert counts.deals == len(sheets)
    aces = [
        sum(
            line["points"][side]
            for sheet in sheets
            for line in sheet["lines"]
            if line["key"] == "aces"
        )
        for side in (0, 1)
    ]
    assert [seat["aces"] for seat in counts.seats] == [
        [aces[side], counts.deals] for side in (0, 1, 0, 1)
    ]
    cards = [seat["cards"][0] for seat in counts.seats[:2]]
    assert sum(cards) <= counts.deals


def test_thefts_and_canastas_are_counted_from_events() -> None:
    record = play("paks/standard/1v1", "thefts")
    stolen = sum(
        1 + move.rpartition(":")[2].count("+") for move in record.moves if move.startswith("steal:")
    )
    assert stolen > 0
    assert sum(seat["stolen"][0] for seat in count_figures(record).seats) == stolen
    record = play("canasta/classic/2v2?deals=2", "canastas")
    events = [event for event in record.verify().events(None) if event["type"] == "canasta"]
    assert sum(seat["canastas"][0] for seat in count_figures(record).seats) == len(events)


def test_the_largest_deficit_is_counted() -> None:
    record = play("cassino/standard/1v1", "behind")
    scores, behind = [0, 0], [0, 0]
    for deal in record.verify().deals[:-1]:
        scores = [a + b for a, b in zip(scores, deal["sheet"]["points"], strict=True)]
        behind = [max(behind[0], scores[1] - scores[0]), max(behind[1], scores[0] - scores[1])]
    assert any(behind)
    assert count_figures(record).behind == behind


def test_a_match_stopped_in_its_first_deal_counts_only_time() -> None:
    record = play("cassino/standard/1v1", "short")
    record.moves, record.clock_ms = record.moves[:5], record.clock_ms[:5]
    counts = count_figures(record)
    assert counts.deals == 0
    assert [set(seat) for seat in counts.seats] == [{"time"}, {"time"}]


def test_a_record_of_other_rules_is_refused() -> None:
    record = play("cassino/standard/1v1", "other")
    record.moves[0] = "nonsense"
    with pytest.raises(ValueError, match="nonsense"):
        count_figures(record)
