"""Bots with known strengths play every pairing system, table form and kind of partners.

Each tournament ends, its archive agrees with the site, and the rating intervals contain the true
strengths.
"""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from math import inf
from random import Random
from typing import Any

import pytest

from bots.models import Bot
from tests import factories as make
from tests.season.playing import all_cups, play_tournament
from tournaments import projections
from tournaments.exports.archive import archive_of
from tournaments.home.verify_command import check_archive
from tournaments.models import Rating, RatingChange, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_season_game"), pytest.mark.slow]

TABLES = ("1v1", "2v2", "ffa3", "3v2-rest", "ffa4", "3v3", "2v2v2", "1v2")
SMALL = 2
"""Table forms of the season at small size."""


def test_a_season(full_size: bool) -> None:
    bots, strengths = _field(64 if full_size else 6)
    tables = TABLES if full_size else TABLES[:SMALL]
    for cup in all_cups(tables, groups=1):
        start = time.monotonic()
        tournament = play_tournament(cup, bots, strengths)
        assert tournament.state == "finished", cup
        _check(tournament)
        print(f"{cup}: {tournament.matches.count()} matches, {time.monotonic() - start:.0f} s")
    start = time.monotonic()
    projections.refresh()
    print(f"refit of all pools: {time.monotonic() - start:.1f} s")
    inside, total = _coverage(tables, strengths)
    assert 0.85 <= inside / total <= 1.0
    _check_rebuild_changes_nothing()


def _field(size: int) -> tuple[list[Bot], dict[int, float]]:
    """Bots of different authors, and their strengths by version in Elo points."""
    bots = [make.bot(formats=("season/*/*",)) for _ in range(size)]
    chance = Random("strengths")
    return bots, {bot.active_version_id or 0: chance.gauss(1200, 200) for bot in bots}


def _check(tournament: Tournament) -> None:
    """Check that the archive gives the same standings."""
    archive = io.BytesIO(b"".join(archive_of(tournament)))
    agrees, report = check_archive(archive)
    assert agrees, report


def _coverage(tables: Sequence[str], strengths: Mapping[int, float]) -> tuple[int, int]:
    """The numbers of true strengths in their intervals and of all; prints both for each form."""
    mean = sum(strengths.values()) / len(strengths)
    inside = total = 0
    for table in tables:
        rows = list(Rating.objects.filter(pool=f"season/plain/{table}", kind="all"))
        centre = sum(row.fitted or 0.0 for row in rows) / len(rows)
        count = 0
        for row in rows:
            strength = strengths[row.version_id] - mean + centre
            low = -inf if row.low is None else row.low
            count += low <= strength <= (inf if row.high is None else row.high)
        print(f"{table}: {count} of {len(rows)} true strengths lie in their 95 % intervals")
        inside, total = inside + count, total + len(rows)
    return inside, total


def _check_rebuild_changes_nothing() -> None:
    before = _tables()
    projections.rebuild()
    after = _tables()
    for old, new in zip(before, after, strict=True):
        assert old == new


def _tables() -> list[Any]:
    ratings = Rating.objects.order_by("pool", "kind", "version")
    changes = RatingChange.objects.order_by("id")
    return [
        list(ratings.values_list("pool", "kind", "version", "live", "fitted", "low", "high")),
        list(changes.values_list("pool", "version", "match", "before", "after", "at")),
    ]
