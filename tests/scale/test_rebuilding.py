"""Rebuilding a site with many matches gives the same numbers again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scale.creating import Size, create_site
from tournaments import projections
from tournaments.models import (
    PoolFit,
    Rating,
    RatingChange,
    RatingPoint,
    ScaleChange,
    TeamRating,
)

pytestmark = pytest.mark.django_db

SMALL = Size(bots=12, ladder=30, robin=6, swiss=8, knockout=4, cups=6, cup=4)


def numbers() -> list[list[dict[str, Any]]]:
    """All rows that follow from results, without their keys and the durations of fits."""
    orders = {
        Rating: ("pool", "kind", "version"),
        RatingChange: ("pool", "version", "match"),
        RatingPoint: ("pool", "version", "ordinal"),
        TeamRating: ("pool", "key"),
        ScaleChange: ("pool", "ordinal", "points"),
        PoolFit: ("pool",),
    }
    return [
        [{**row, "id": 0, "seconds": 0} for row in model._default_manager.order_by(*order).values()]
        for model, order in orders.items()
    ]


def test_rebuilding_twice_gives_the_same_numbers() -> None:
    create_site(SMALL)
    assert projections.rebuild() > 300
    first = numbers()
    assert all(row["fitted"] is not None for row in first[0])
    assert len(first[2]) > len(first[0]), "older points stay"
    projections.rebuild()
    assert numbers() == first
