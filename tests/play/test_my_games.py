"""A person's skill, computed from results at their tables and the luck of the cards."""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import Any

import pytest
from django.test import Client

from cardroom_tables.guests import Person
from cardroom_tables.models import Table
from cardroom_tables.my_games import PersonSkill, recent_outcomes, skills_of, t_quantile
from tests.play.hall import SHORT, Bots, Visitor, compare_deals, guest, new_table, play_out

pytestmark = pytest.mark.django_db


def finished_with(
    scores: list[int],
    luck: list[list[float]],
    fmt: str = "cassino/standard/1v1?deals=2",
    person: Person | None = None,
) -> Table:
    """A table with these scores; the person has the first seat."""
    table = new_table(fmt, person)
    table.state = Table.State.FINISHED
    table.result = {"scores": scores, "ranks": [1] * len(scores), "winners": [0]}
    table.deals = table.compared = len(luck)
    table.luck = luck
    table.save()
    return table


def test_card_luck_is_subtracted() -> None:
    finished_with([10, 4], [[1, -1], [1.5, -1.5]])
    finished_with([3, 4], [[-2, 2], [0, 0]])
    finished_with([8, 8], [[0.5, -0.5]])
    finished_with([0, 9], [[-8, 8]])
    finished_with([7, 6], [[1, -1]])
    [skill] = skills_of(guest())
    assert (skill.games, skill.format["words"]) == (5, "Cassino, two players")
    assert skill.ahead == pytest.approx((6 - 1 + 0 - 9 + 1) / 7)
    assert skill.cards == pytest.approx((2.5 - 2 + 0.5 - 8 + 1) / 7)
    assert skill.played == pytest.approx(3 / 7)
    per_deal = 3 / 7
    residuals = (3.5 - 2 * per_deal, 1 - 2 * per_deal, -0.5 - per_deal, -1 - per_deal, 0 - per_deal)
    deviation = sqrt(5 / 4 * sum(residual * residual for residual in residuals)) / 7
    assert skill.error == pytest.approx(2.776 * deviation, rel=0.005)


@pytest.mark.parametrize(("freedom", "t"), [(4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)])
def test_quantiles_of_t(freedom: int, t: float) -> None:
    assert t_quantile(freedom) == pytest.approx(t, abs=0.01)


def test_leads_are_against_the_mean_of_other_sides() -> None:
    for _ in range(5):
        finished_with([9, 3, 0], [[2, -1, -1]], "cassino/standard/ffa3?deals=1")
        finished_with([9, 3], [[2, -2]], "cassino/standard/2v2?deals=1")
    two, three = sorted(skills_of(guest()), key=lambda skill: skill.ahead)
    assert (two.ahead, two.cards) == (6, 2)
    assert (three.ahead, three.cards) == (7.5, 2)


def test_tables_that_do_not_count() -> None:
    for _ in range(4):
        finished_with([1, 0], [[0, 0]])
    finished_with([50, 0], [[0, 0]], person=guest("bob"))
    changes: tuple[dict[str, Any], ...] = (
        {"source": {"names": [], "moves": [], "deals": 0}},
        {"luck": [[]]},
        {"compared": 0},
        {"state": Table.State.ABANDONED},
    )
    for change in changes:
        table = finished_with([50, 0], [[0, 0]])
        Table.objects.filter(pk=table.pk).update(**change)
    assert skills_of(guest()) == [], "four games are too few"
    finished_with([1, 0], [[0, 0]])
    [skill] = skills_of(guest())
    assert (skill.games, skill.ahead) == (5, 1)


@pytest.mark.parametrize(
    ("played", "words"), [(2.0, "better"), (-2.0, "worse"), (0.5, "Too few deals")]
)
def test_the_words_respect_the_error(played: float, words: str) -> None:
    assert words in PersonSkill({}, 9, played + 1, 1, 1.5).words


def test_the_page_shows_skill_after_comparisons(bots: Bots) -> None:
    visitor = Visitor()
    assert "How you play" not in visitor.client.get("/play/").content.decode()
    for n in range(5):
        visitor.create(SHORT)
        play_out([visitor], Random(n))
    assert visitor.client.get("/play/").context["own"]["skills"] == [], "uncompared games count"
    assert compare_deals() == 5
    [skill] = visitor.client.get("/play/").context["own"]["skills"]
    assert skill.games == 5
    assert skill.error > 0
    page = visitor.client.get("/play/").content.decode()
    assert "How you play" in page
    assert skill.words in page
    assert "How you play" not in Client().get("/play/").content.decode()


def test_recent_outcomes_against_the_same_opponents() -> None:
    win, loss = [5, 1], [1, 5]
    for scores in (win, loss, win, win, loss, loss):
        table = finished_with(scores, [[0, 0]])
        table.result = {"scores": scores, "ranks": [1, 2], "winners": [scores.index(5)]}
        table.save()
    finished_with([5, 1, 1], [[0, 0, 0]], "cassino/standard/ffa3?deals=1")
    finished_with(win, [[0, 0]], person=guest("ben"))
    assert recent_outcomes(table, guest()) == ["lost", "won", "won", "lost", "lost"]
    assert recent_outcomes(table, guest("cleo")) == []
