"""The course of a lead, from standings and from records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Format, Match, Record
from tournaments.standings.figures import count_figures
from tournaments.standings.leads import POINTS, Leads, leads_of, sample_moves, standing_now


@given(st.integers(0, 5_000))
def test_samples_are_few_and_end_before_the_last_move(moves: int) -> None:
    samples = sample_moves(moves)
    assert len(samples) <= POINTS + 1
    assert max(samples) == max(0, moves - 1)
    assert 0 in samples


@given(st.lists(st.lists(st.integers(-50, 50), min_size=2, max_size=2), min_size=1, max_size=20))
def test_leads_are_symmetric(standings: list[list[int]]) -> None:
    one, other = leads_of(standings), leads_of([scores[::-1] for scores in standings])
    assert [-lead for lead in one.line] == other.line
    assert one.behind == other.behind[::-1]
    assert (one.changes, one.turned) == (other.changes, other.turned)
    assert len(one.line) == len(standings)


def test_a_tie_does_not_change_the_leader() -> None:
    assert leads_of([[1, 0], [1, 1], [2, 1]]).changes == 0
    assert leads_of([[1, 0], [1, 1], [1, 2]]).changes == 1
    assert not leads_of([[0, 1], [1, 1]]).turned
    assert leads_of([[0, 1], [2, 1]]).turned


def test_sides_that_form_in_play_have_no_line() -> None:
    assert leads_of([[1, 2, 3], [4, 5]]) == Leads([], 0, [], turned=False)
    assert leads_of([]) == Leads([], 0, [], turned=False)


@pytest.mark.parametrize(
    "text",
    [
        "cassino/standard/1v1?deals=1",
        "cassino/standard/ffa3?deals=1",
        "canasta/classic/2v2?deals=1",
        "spoon-eye/standard/1v1?target=50",
        "zwicker/grupp/1v1?deals=1",
        "paks/standard/1v1?deals=1",
    ],
)
def test_every_game_has_a_line_that_ends_with_the_result(text: str) -> None:
    match = Match(Format.parse(text), seed="leads")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    counts = count_figures(Record.of(match))
    first, *others = match.scores
    assert counts.leads.line[-1] == first - max(others)
    assert 2 < len(counts.leads.line) <= POINTS + 2
    assert any(counts.leads.line[1:-1]), "a single deal has a course, too"


def test_the_final_standing_is_the_score() -> None:
    match = Match("cassino/standard/1v1?deals=1", seed="leads")
    assert standing_now(match) == [0, 0]
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    assert standing_now(match) == match.scores
