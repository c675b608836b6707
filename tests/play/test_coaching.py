"""The recommended level after won and lost deals."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom_tables import coaching
from cardroom_tables.coaching import BEGINNER, Coach, recommendations
from cardroom_tables.guests import Person
from cardroom_tables.models import Table
from tests.play import hall
from tests.play.hall import guest

pytestmark = pytest.mark.django_db


def _recommendation_after(monkeypatch: Any, leads: list[int], bot: str = "house:expert-2") -> Coach:
    """The recommendation after one-deal matches of Cassino with these leads, oldest first."""
    rows = {}
    for lead in leads:
        table = hall.finished_table()
        seat = table.seats.get(index=1)
        seat.bot = bot
        seat.save()
        rows[table.pk] = lead
    monkeypatch.setattr(coaching, "_leads", lambda table, _: [rows[table.pk]])
    return recommendations(guest())["cassino"]


def test_beginners_start_at_the_second_level() -> None:
    assert recommendations(guest()) == {}
    assert recommendations(Person()) == {}
    assert (BEGINNER.level, BEGINNER.tip, BEGINNER.words) == (2, 2, "start here")


@pytest.mark.parametrize(
    ("leads", "level", "tip"),
    [
        ([2], 3, 0),
        ([2, 2, 2], 3, 4),
        ([-1, 3, -1, 3, 3], 3, 4),
        ([3, 3, -1, -1, -1, 3], 3, 0),  # two of the last five are won
        ([-1] * 4, 3, 0),
        ([-1] * 5, 3, 2),
        ([-1, -1, 0, -1, -1], 3, 0),  # a draw is no loss
    ],
)
def test_the_recommended_level(monkeypatch: Any, leads: list[int], level: int, tip: int) -> None:
    words = "try this" if tip else ""
    assert _recommendation_after(monkeypatch, leads) == Coach(level, tip, words)


def test_no_level_is_below_the_first(monkeypatch: Any) -> None:
    assert _recommendation_after(monkeypatch, [-1] * 5, "house:random") == Coach(1, 0, "")


def test_no_level_is_above_the_last(monkeypatch: Any) -> None:
    assert _recommendation_after(monkeypatch, [4, 4, 4], "house:expert") == Coach(7, 0, "")


def test_leads_are_read_from_tables() -> None:
    table = hall.finished_table()
    [lead] = coaching._leads(table, guest())
    scores = (Table.objects.get().result or {})["scores"]
    assert lead == scores[0] - scores[1]
    assert recommendations(guest())["cassino"].level == 1, "house:random is the opponent"


def test_only_the_last_level_counts(monkeypatch: Any) -> None:
    _recommendation_after(monkeypatch, [2, 2, 2])
    table = hall.finished_table()
    table.seats.filter(index=1).update(bot="house:expert-4")
    monkeypatch.setattr(coaching, "_leads", lambda *_: [1])
    assert recommendations(guest())["cassino"] == Coach(5, 0, "")
