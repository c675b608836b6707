"""A season of bots with known strengths: every system, every table form, and the ratings hold."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests import factories as make
from tests.season.playing import Cup, every_system, played
from tournaments import projections
from tournaments.models import Rating, RatingChange

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game"), pytest.mark.slow]

TABLES = ("1v1", "ffa3", "2v2", "3v2-rest", "ffa4", "3v3", "2v2v2", "1v2")
SMALL = 4
"""Table forms of the season at small size."""


def test_strengths_are_recovered(full_size: bool) -> None:
    bots = [make.bot(formats=("season/*/*",)) for _ in range(64 if full_size else 8)]
    tables = TABLES if full_size else TABLES[:SMALL]
    chance = Random("strengths")
    strengths = {bot.active_version_id or 0: chance.gauss(1200, 200) for bot in bots}
    for table in tables:
        for stages in every_system(table, groups=2):
            cup = Cup(table, stages)
            tournament = played(cup, bots, strengths)
            assert tournament.state == "finished", cup
    projections.refresh()
    inside = held = 0
    mean = sum(strengths.values()) / len(strengths)
    for table in tables:
        rows = Rating.objects.filter(pool=f"season/plain/{table}", kind="all")
        centre = sum(row.fitted or 0.0 for row in rows) / len(rows)
        for row in rows:
            assert row.fitted is not None
            assert row.low is not None
            assert row.high is not None
            true = strengths[row.version_id] - mean + centre
            inside += row.low <= true <= row.high
            held += 1
    print(f"\n{inside} of {held} true strengths lie in their 95 % intervals")
    assert 0.88 <= inside / held <= 1.0


def test_rebuilding_changes_nothing() -> None:
    bots = [make.bot(formats=("season/*/*",)) for _ in range(6)]
    strengths = {bot.active_version_id or 0: 1000.0 + 80 * i for i, bot in enumerate(bots)}
    for table in ("1v1", "2v2"):
        played(Cup(table, [{"groups": 2}]), bots, strengths)
    projections.refresh()
    before = _tables()
    projections.rebuild()
    assert _tables() == before


def _tables() -> list[Any]:
    ratings = Rating.objects.order_by("pool", "kind", "version")
    changes = RatingChange.objects.order_by("id")
    return [
        list(ratings.values_list("pool", "kind", "version", "live", "fitted", "low", "high")),
        list(changes.values_list("pool", "version", "match", "before", "after", "at")),
    ]
