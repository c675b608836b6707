"""A Swiss on a site: byes count, and rounds follow from results."""

from __future__ import annotations

import pytest

from tests import cups, factories
from tournaments import actions
from tournaments.models import Tournament
from tournaments.reading import tournament_standings

pytestmark = pytest.mark.django_db


def rounds(cup: Tournament) -> list[set[str]]:
    """Who meets whom in each round, such as {"ac", "be"}."""
    found: dict[int, dict[int, str]] = {}
    rows = cup.deal_groups.filter(retired__isnull=True, group=1).order_by("round", "sides__index")
    for number, pk, name in rows.values_list("round", "pk", "sides__entry__bot__name"):
        meetings = found.setdefault(number, {})
        meetings[pk] = meetings.get(pk, "") + name
    return [{"".join(sorted(names)) for names in found[number].values()} for number in found]


def table(cup: Tournament) -> dict[str, tuple[float, int]]:
    entries = dict(cup.entries.values_list("pk", "bot__name"))
    return {
        entries[int(row.entrant)]: (row.points, row.groups) for row in tournament_standings(cup)
    }


def test_it_is_played_to_the_end_and_byes_count() -> None:
    bots = [factories.bot(name=name) for name in "abcde"]
    stages = [{"system": "swiss", "groups": 2, "settings": {"rounds": 3}}]
    cup = factories.tournament(bots, stages=stages, start=True)
    assert rounds(cup) == [{"ac", "bd"}]  # the last seed has the bye
    assert table(cup)["e"] == (2.0, 0)
    cups.play_round(cup, "abcde")
    assert len(rounds(cup)) == 2
    cups.play_out(cup, "abcde")
    assert cup.state == "finished"
    points = table(cup)
    assert next(iter(points)) == "a"
    assert points["a"] == (6.0, 6)
    assert sum(each for each, _ in points.values()) == 3 * (2 * 2 + 2)
    assert sum(groups == 4 for _, groups in points.values()) == 3  # three had a bye


def test_a_round_played_again_pairs_the_later_ones_anew() -> None:
    bots = [factories.bot(name=name) for name in "abcdef"]
    stages = [{"system": "swiss", "groups": 1, "settings": {"rounds": 3}}]
    cup = factories.tournament(bots, stages=stages, start=True)
    cups.play_out(cup, "abcdef")
    assert rounds(cup)[:2] == [{"ad", "be", "cf"}, {"ab", "cd", "ef"}]
    actions.rerun_round(cup, 1, 1, None, "The clocks stood still.")
    cups.play_round(cup, "fedcba")
    assert rounds(cup) == [{"ad", "be", "cf"}, {"de", "af", "bc"}]
    retired = cup.deal_groups.filter(retired__isnull=False)
    assert sorted(retired.values_list("round", flat=True)) == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    cups.play_out(cup, "fedcba")
    assert cup.state == "finished"
    assert next(iter(table(cup))) == "f"
