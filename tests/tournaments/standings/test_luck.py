"""Splitting scores into cards, players and rest: by hand, properties, a known mixture."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.deal_groups import MatchResult, SideEntrants
from tournaments.standings.luck import card_worth, group_luck, split_luck


def group(entrants: tuple[SideEntrants, ...], scores: list[tuple[float, ...]]) -> list[MatchResult]:
    """A deal group with these scores, side by side, of each match."""
    n = len(entrants)
    return [
        MatchResult(
            tuple(entrants[(side - r) % n] for side in range(n)), row, tuple(range(1, n + 1))
        )
        for r, row in enumerate(scores)
    ]


def test_two_matches_by_hand() -> None:
    # The cards of side 0 win both times; a scores two points more with them.
    luck = group_luck(group(("a", "b"), [(11, 3), (9, 5)]))
    assert luck is not None
    assert luck.entrants == ("a", "b")
    assert list(luck.cards) == [3, -3]
    assert list(luck.play) == [1, -1]
    assert [list(row) for row in luck.rest] == [[0, 0], [0, 0]]
    assert card_worth([(11, 3), (9, 5)]) == luck.cards


@st.composite
def groups(draw: st.DrawFn) -> list[MatchResult]:
    """A complete deal group at a table of two to five sides."""
    n = draw(st.integers(2, 5))
    row = st.tuples(*[st.integers(-30, 300)] * n)
    return group(tuple("abcde"[:n]), [draw(row) for _ in range(n)])


@settings(max_examples=50, deadline=None)
@given(groups())
def test_the_parts_sum_to_the_score_and_cancel(matches: list[MatchResult]) -> None:
    luck = group_luck(matches)
    assert luck is not None
    assert sum(luck.cards) == pytest.approx(0, abs=1e-6)
    assert sum(luck.play) == pytest.approx(0, abs=1e-6)
    play = dict(zip(luck.entrants, luck.play, strict=True))
    had = dict.fromkeys(luck.entrants, 0.0)
    for match, rest in zip(matches, luck.rest, strict=True):
        mean = sum(match.scores) / len(match.scores)
        for side, entrant in enumerate(match.entrants):
            total = luck.cards[side] + play[entrant] + rest[side]
            assert match.scores[side] - mean == pytest.approx(total, abs=1e-6)
            had[entrant] += luck.cards[side]
    # Within the group every entrant had all the cards.
    assert list(had.values()) == pytest.approx([0] * len(had), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=2))
def test_swapping_the_entrants_swaps_the_signs(scores: list[tuple[float, ...]]) -> None:
    one, other = group_luck(group(("a", "b"), scores)), group_luck(group(("b", "a"), scores))
    assert one is not None
    assert other is not None
    assert one.cards == other.cards
    assert (
        dict(zip(one.entrants, one.play, strict=True))["a"]
        == -dict(zip(other.entrants, other.play, strict=True))["a"]
    )
    turned = group_luck(group(("a", "b"), [row[::-1] for row in scores]))
    assert turned is not None
    assert turned.cards == tuple(-value for value in one.cards)


def test_incomplete_groups_and_groups_with_faults_have_no_luck() -> None:
    complete = group(("a", "b"), [(1, 2), (3, 4)])
    assert group_luck([]) is None
    assert group_luck(complete[:1]) is None
    assert group_luck([complete[0], complete[0]]) is None  # no entrant changed sides
    faulty = MatchResult(("b", "a"), (3, 4), (2, 1), faulting_sides=(0,))
    assert group_luck([complete[0], faulty]) is None
    assert split_luck([complete[:1]]) is None
    assert split_luck([complete]) is None  # one pair, one group: no comparison
    assert split_luck([group(("a", "b"), [(5, 5), (5, 5)])] * 3) is None  # no variation


def mixture(
    sides: int, of_cards: float, of_play: float, noise: float, size: int = 1
) -> list[list[MatchResult]]:
    """Groups of twelve entrants whose scores have these standard deviations."""
    chance = Random(f"{sides} {of_cards} {of_play} {noise} {size}")
    skill = {i: chance.gauss(0, of_play) for i in range(12)}
    groups = []
    for _ in range(900):
        entrants = chance.sample(range(12), sides * size)
        sides_of: list[SideEntrants] = [
            entrants[i] if size == 1 else tuple(entrants[i * size : (i + 1) * size])
            for i in range(sides)
        ]
        cards = [chance.gauss(0, of_cards) for _ in range(sides)]
        total = chance.gauss(100, 30)  # some deals are worth more to all

        def score(
            side: int, entrant: SideEntrants, cards: list[float] = cards, total: float = total
        ) -> float:
            bots = entrant if isinstance(entrant, tuple) else (entrant,)
            strength = sum(skill[int(bot)] for bot in bots) / len(bots)
            return total + cards[side] + strength + chance.gauss(0, noise)

        n = sides
        rows = [tuple(score(s, sides_of[(s - r) % n]) for s in range(n)) for r in range(n)]
        groups.append(group(tuple(sides_of), rows))
    return groups


@pytest.mark.parametrize("sides", [2, 4])
@pytest.mark.parametrize("parts", [(8, 3, 5), (0, 6, 6), (6, 0, 6), (1, 1, 8)])
def test_a_known_mixture_is_recovered(sides: int, parts: tuple[float, float, float]) -> None:
    split = split_luck(mixture(sides, *parts))
    assert split is not None
    # The variance of the twelve drawn skills, not of their distribution.
    chance = Random(f"{sides} {parts[0]} {parts[1]} {parts[2]} 1")
    skills = [chance.gauss(0, parts[1]) for _ in range(12)]
    pairs = list(combinations(skills, 2))
    play_variance = sum((a - b) ** 2 for a, b in pairs) / len(pairs) / 2
    variance = parts[0] ** 2 + play_variance + parts[2] ** 2
    assert split.groups == 900
    assert split.cards == pytest.approx(parts[0] ** 2 / variance, abs=0.05)
    assert split.players == pytest.approx(play_variance / variance, abs=0.05)
    assert split.rest == pytest.approx(parts[2] ** 2 / variance, abs=0.05)
    assert split.cards + split.players + split.rest == pytest.approx(1)
    assert split.variance == pytest.approx(variance * (sides - 1) / sides, rel=0.1)
    mean = sum(skills) / 12
    for name, points in split.skills.items():
        assert points == pytest.approx(skills[int(name)] - mean, abs=2)


def test_rotating_partners_have_their_own_skills() -> None:
    split = split_luck(mixture(2, 4, 6, 4, size=2))
    assert split is not None
    chance = Random("2 4 6 4 2")
    skills = [chance.gauss(0, 6) for _ in range(12)]
    mean = sum(skills) / 12
    for name, points in split.skills.items():
        assert points == pytest.approx(skills[int(name)] - mean, abs=2)
    assert sum(split.skills.values()) == pytest.approx(0, abs=1e-6)
