"""How well somebody plays, as told by the results of their own tables and what the cards gave."""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import Any

import pytest
from django.test import Client

from cardroom_tables.guests import Person
from cardroom_tables.models import Table
from cardroom_tables.my_games import PersonSkill, recent_outcomes, skills_of, t_quantile
from tests.play.hall import SHORT, Bots, Visitor, compare_deals, guest, played_out, table

pytestmark = pytest.mark.django_db


def over(
    scores: list[int],
    luck: list[list[float]],
    fmt: str = "cassino/standard/1v1?deals=2",
    person: Person | None = None,
) -> Table:
    """A table that ended so, the person at the first seat."""
    made = table(fmt, person)
    made.state = Table.State.FINISHED
    made.result = {"scores": scores, "ranks": [1] * len(scores), "winners": [0]}
    made.deals = made.compared = len(luck)
    made.luck = luck
    made.save()
    return made


def test_what_the_cards_gave_is_taken_off() -> None:
    over([10, 4], [[1, -1], [1.5, -1.5]])
    over([3, 4], [[-2, 2], [0, 0]])
    over([8, 8], [[0.5, -0.5]])
    over([0, 9], [[-8, 8]])
    over([7, 6], [[1, -1]])
    [skill] = skills_of(guest())
    assert (skill.games, skill.format["words"]) == (5, "Cassino, two players")
    assert skill.ahead == pytest.approx((6 - 1 + 0 - 9 + 1) / 7)
    assert skill.cards == pytest.approx((2.5 - 2 + 0.5 - 8 + 1) / 7)
    assert skill.played == pytest.approx(3 / 7)
    a_deal = 3 / 7
    rest = (3.5 - 2 * a_deal, 1 - 2 * a_deal, -0.5 - a_deal, -1 - a_deal, 0 - a_deal)
    deviation = sqrt(5 / 4 * sum(each * each for each in rest)) / 7
    assert skill.error == pytest.approx(2.776 * deviation, rel=0.005)


@pytest.mark.parametrize(("freedom", "t"), [(4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)])
def test_few_games_say_less_than_many(freedom: int, t: float) -> None:
    assert t_quantile(freedom) == pytest.approx(t, abs=0.01)


def test_it_is_told_of_the_side_beside_the_mean_of_the_others() -> None:
    for _ in range(5):
        over([9, 3, 0], [[2, -1, -1]], "cassino/standard/ffa3?deals=1")
        over([9, 3], [[2, -2]], "cassino/standard/2v2?deals=1")
    two, three = sorted(skills_of(guest()), key=lambda skill: skill.ahead)
    assert (two.ahead, two.cards) == (6, 2)
    assert (three.ahead, three.cards) == (7.5, 2)


def test_what_does_not_count() -> None:
    for _ in range(4):
        over([1, 0], [[0, 0]])
    over([50, 0], [[0, 0]], person=guest("bob"))
    changes: tuple[dict[str, Any], ...] = (
        {"source": {"names": [], "moves": [], "deals": 0}},
        {"luck": [[]]},
        {"compared": 0},
        {"state": Table.State.ABANDONED},
    )
    for change in changes:
        made = over([50, 0], [[0, 0]])
        Table.objects.filter(pk=made.pk).update(**change)
    assert skills_of(guest()) == [], "four games say nothing"
    over([1, 0], [[0, 0]])
    [skill] = skills_of(guest())
    assert (skill.games, skill.ahead) == (5, 1)


@pytest.mark.parametrize(
    ("played", "words"), [(2.0, "better"), (-2.0, "worse"), (0.5, "Too few deals")]
)
def test_it_says_no_more_than_the_error_allows(played: float, words: str) -> None:
    assert words in PersonSkill({}, 9, played + 1, 1, 1.5).words


def test_a_hosts_comparison_brings_it_onto_the_page(bots: Bots) -> None:
    visitor = Visitor()
    assert "How you play" not in visitor.client.get("/play/").content.decode()
    for n in range(5):
        visitor.create(SHORT)
        played_out([visitor], Random(n))
    assert visitor.client.get("/play/").context["own"]["skills"] == [], "not compared yet"
    assert compare_deals() == 5
    [skill] = visitor.client.get("/play/").context["own"]["skills"]
    assert skill.games == 5
    assert skill.error > 0
    page = visitor.client.get("/play/").content.decode()
    assert "How you play" in page
    assert skill.words in page
    assert "How you play" not in Client().get("/play/").content.decode()


def test_the_last_games_against_the_same_others_are_told() -> None:
    won, lost = [5, 1], [1, 5]
    for scores in (won, lost, won, won, lost, lost):
        made = over(scores, [[0, 0]])
        made.result = {"scores": scores, "ranks": [1, 2], "winners": [scores.index(5)]}
        made.save()
    over([5, 1, 1], [[0, 0, 0]], "cassino/standard/ffa3?deals=1")
    over(won, [[0, 0]], person=guest("ben"))
    assert recent_outcomes(made, guest()) == ["lost", "won", "won", "lost", "lost"]
    assert recent_outcomes(made, guest("cleo")) == []
