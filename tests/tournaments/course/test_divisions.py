"""From deal groups to rounds and standings of divisions."""

from __future__ import annotations

from dataclasses import replace

from engine import Format
from tournaments.course.divisions import (
    Conditions,
    PairedGroup,
    division_rows,
    meetings_by_round,
    merge_rows,
    order_sides,
    result_of_rotation,
    seed_suffix,
    state_of,
    upcoming,
)
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import MatchResult
from tournaments.pairing import SYSTEMS, Meeting, PairingStep, State, System
from tournaments.standings import Row

ROUND_ROBIN = SYSTEMS["round-robin"]


def group(round_: int, a: int, b: int, score: int, pairing: int = 1) -> PairedGroup:
    """A deal group of one match with `score` to 0."""
    match = MatchResult((a, b), (score, 0), (1, 2) if score else (1, 1))
    return PairedGroup(1, 1, round_, pairing, (a, b), (match,))


def test_every_second_group_reverses_its_sides() -> None:
    assert order_sides((1, 2, 3), 1) == (1, 2, 3)
    assert order_sides((1, 2, 3), 2) == (3, 2, 1)
    assert order_sides(order_sides((1, 2, 3), 2), 2) == (1, 2, 3)


def test_sides_rotate_within_a_group() -> None:
    entrants = [
        result_of_rotation((7, 8, 9), r, (3, 2, 1), (1, 2, 3), ()).entrants for r in range(3)
    ]
    assert entrants == [(7, 8, 9), (9, 7, 8), (8, 9, 7)]


def test_only_the_first_division_of_the_first_stage_has_no_salt() -> None:
    assert seed_suffix(1, 1) == ()
    assert seed_suffix(1, 2) == (1, 2)


def test_deal_groups_of_a_pairing_are_one_meeting() -> None:
    groups = [group(1, 10, 20, 5), group(1, 10, 20, 0), group(2, 20, 30, 4)]
    unplayed = replace(group(1, 30, 40, 1, pairing=2), matches=(), open=True)
    (first, other), (last,) = meetings_by_round([*groups, unplayed], {10: 0, 20: 1, 30: 2})
    assert (first.entrants, first.points, first.differences, first.groups) == (
        (0, 1),
        (1.5, 0.5),
        (5, -5),
        2,
    )
    assert (other.entrants, other.points, other.groups, other.open) == ((2, -1), (), 0, True)
    assert last.entrants == (1, 2)


def rows(system: System, groups: list[PairedGroup], tie_breaks: list[str]) -> list[Row]:
    rounds = meetings_by_round(groups, {10: 0, 20: 1, 30: 2})
    state = State(entrants=3, sides=2, seed="s", rounds=rounds)
    return division_rows(system, state, (10, 20, 30), groups, tie_breaks)


def test_byes_count_in_the_standings() -> None:
    system = replace(ROUND_ROBIN, byes=lambda state: (0.0, 1.0, 1.0))
    groups = [group(1, 10, 20, 5), group(2, 10, 30, 5)]
    standings_rows = rows(system, groups, ["buchholz"])
    assert [(r.entrant, r.points, r.byes, r.tie_breaks) for r in standings_rows] == [
        (10, 2, 0, (2,)),
        (20, 1, 1, (2 + 1,)),
        (30, 1, 1, (2 + 1,)),
    ]


def test_a_system_may_have_its_own_ranking() -> None:
    system = replace(ROUND_ROBIN, places=lambda state: [(2,), (0, 1)])
    standings_rows = rows(system, [group(1, 10, 20, 5)], ["wins"])
    assert [(row.place, row.entrant, row.points) for row in standings_rows] == [
        (1, 30, 0),
        (2, 10, 1),
        (2, 20, 0),
    ]


def test_later_stages_rank_above_earlier_ones() -> None:
    def row(place: int, entrant: int) -> Row:
        return Row(place, entrant, 0, 0, 0, 0, 0, 0, 0, 0)

    groups = [[row(1, 1), row(2, 2), row(3, 3)], [row(1, 4), row(2, 5)]]
    final = [[row(1, 4), row(2, 1)]]
    places = [(merged.place, merged.entrant) for merged in merge_rows([groups, final])]
    assert places == [(1, 4), (2, 1), (3, 2), (3, 5), (5, 3)]


def test_the_state_of_a_division_for_its_system() -> None:
    conditions = Conditions(
        fmt=Format.parse("cassino/royal/2v2"),
        seed="s",
        rotating=True,
        authors={10: frozenset({"x"}), 20: frozenset(), 30: frozenset({"x", "y"})},
        withdrawn=frozenset({20}),
    )
    state = state_of(conditions, StagePlan(groups=3), (2, 1), (30, 20, 10), [group(1, 10, 20, 5)])
    assert (state.entrants, state.sides, state.sizes, state.groups) == (3, 2, (2, 2), 3)
    assert (state.seed, state.apart) == ("s/2/1", frozenset({(0, 2)}))
    assert state.present == frozenset({0, 2})
    assert state.rounds[0][0].entrants == (2, 1)


def test_new_pairings_continue_the_numbering() -> None:
    state = State(4, 2, "s", rounds=((Meeting((0, 1)), Meeting((2, 3))),), groups=2)
    assert upcoming(PairingStep((((0, 2), (1, 3)),)), state, ()) == [
        ((2, 1, 1), (0, 2)),
        ((2, 1, 2), (0, 2)),
        ((2, 2, 1), (1, 3)),
        ((2, 2, 2), (1, 3)),
    ]
    existing = [PairedGroup(1, 1, 1, pairing, (0, 1), ()) for pairing in (1, 1, 2, 2, 2)]
    assert upcoming(PairingStep(more=(1, 0)), state, existing) == [
        ((1, 2, 4), (2, 3)),
        ((1, 1, 3), (0, 1)),
    ]
    assert upcoming(PairingStep(), state, existing) == []
