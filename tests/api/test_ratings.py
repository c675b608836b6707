"""REST: ratings, history, head to head."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from django.db.models import F
from rest_framework.test import APIClient

from bots.models import Bot
from tests import factories
from tests.api.conftest import ApiWorld, assert_problem
from tournaments.models import Rating, TeamRating
from tournaments.projections import tallies

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

ALL = "/api/v1/ratings/"
POOL = "cassino/standard/1v1"


def test_the_ratings_of_a_pool_are_ordered(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):  # count, rows
        rows = client.get(ALL, {"pool": POOL}).json()["results"]
    assert {row["bot"]["slug"] for row in rows} == {"magpie", "rook", "jay", "house-first"}
    fitted = [row["fitted"] for row in rows]
    assert fitted == sorted(fitted, reverse=True)
    for row in rows:
        assert row["low"] < row["fitted"] < row["high"]
        assert (row["pool"], row["matches"], row["groups"]) == (POOL, 6, 3)
    by_live = client.get(ALL, {"pool": POOL, "ordering": "live"}).json()["results"]
    assert [row["live"] for row in by_live] == sorted(row["live"] for row in rows)


def test_ratings_can_be_filtered(world: ApiWorld, client: APIClient) -> None:
    def pools(**query: Any) -> list[str]:
        return [row["pool"] for row in client.get(ALL, query).json()["results"]]

    assert pools(bot="jay") == ["cassino", POOL, "overall"]
    assert len(pools(current="true")) == 12
    assert pools(current="false") == []
    assert pools(pool="nothing") == []


def test_the_history_lists_every_match(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):  # bot, count, rows
        steps = client.get(f"{ALL}jay/history/", {"pool": POOL}).json()["results"]
    assert len(steps) == 6
    assert all(a["after"] == b["before"] for a, b in pairwise(steps))
    rating = client.get(ALL, {"pool": POOL, "bot": "jay"}).json()["results"][0]
    assert steps[-1]["after"] == rating["live"]
    assert len(client.get(f"{ALL}jay/history/").json()["results"]) == 18
    assert_problem(client.get(f"{ALL}nobody/history/"), 404)


def test_the_table_agrees_with_the_page(
    world: ApiWorld, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tallies.count_new()
    with django_assert_num_queries(4):  # ratings, fit, past, meetings
        table = client.get(f"{ALL}table/", {"pool": POOL}).json()
    assert (table["count"], table["fewer"], table["parts"], table["page"]) == (4, 0, 1, 1)
    rows = table["rows"]
    assert [row["bot"] for row in rows] == table["columns"]
    for row, following in pairwise(rows):
        assert row["fitted"] >= following["fitted"]
        lead = row["lead"]
        assert lead["points"] == pytest.approx(row["fitted"] - following["fitted"])
        assert lead["low"] < lead["points"] < lead["high"]
        assert (lead["groups"] == 0) == (lead["low"] > 0)
        assert row["best"] <= row["worst"]
        assert sum(duel["matches"] for duel in row["against"]) == row["matches"] == 6
    assert rows[-1]["lead"] is None
    assert not {"owner", "version_key", "bot_key"} & set(rows[0])
    response = client.get(
        f"{ALL}head-to-head/", {"a": rows[0]["bot"], "b": rows[1]["bot"], "pool": POOL}
    )
    comparison = response.json()["comparison"]
    for name in ("low", "high", "groups"):
        assert comparison[name] == pytest.approx(rows[0]["lead"][name])


def test_a_table_needs_a_pool(world: ApiWorld, client: APIClient) -> None:
    path = f"{ALL}table/"
    assert_problem(client.get(path), 400)
    assert_problem(client.get(path, {"pool": POOL, "page": "0"}), 400)
    assert_problem(client.get(path, {"pool": POOL, "every": "1"}), 400)
    assert client.get(path, {"pool": "nothing"}).json()["rows"] == []
    assert client.get(path, {"pool": POOL, "page": "9"}).json()["page"] == 1


def test_head_to_head_is_the_same_from_both_sides(world: ApiWorld, client: APIClient) -> None:
    path = f"{ALL}head-to-head/"
    meetings = client.get(path, {"a": "jay", "b": "rook"}).json()
    other = client.get(path, {"a": "rook", "b": "jay"}).json()
    assert (meetings["matches"], meetings["groups"]) == (2, 1)
    assert meetings["a_ahead"] == other["b_ahead"]
    assert meetings["a_ahead"] + meetings["level"] + meetings["b_ahead"] == 2
    assert meetings["points"] == (meetings["a_ahead"] + meetings["level"] / 2) / 2
    assert meetings["difference"] == -other["difference"]
    for pool in ("overall", "cassino", POOL):
        assert client.get(path, {"a": "jay", "b": "rook", "pool": pool}).json()["matches"] == 2
    for pool in ("canasta", "cassino/royal/1v1", "cass"):
        assert client.get(path, {"a": "jay", "b": "rook", "pool": pool}).json()["matches"] == 0


def test_house_bots_may_be_given_by_name_or_slug(world: ApiWorld, client: APIClient) -> None:
    path = f"{ALL}head-to-head/"
    for name in ("house:first", "house-first"):
        response = client.get(path, {"a": "jay", "b": name})
        assert response.status_code == 200, response.content


def test_head_to_head_needs_two_bots(world: ApiWorld, client: APIClient) -> None:
    path = f"{ALL}head-to-head/"
    assert set(assert_problem(client.get(path), 400)["errors"]) == {"a", "b"}
    assert_problem(client.get(path, {"a": "jay", "b": "nobody"}), 400, "nobody")
    assert_problem(client.get(path, {"a": "jay", "b": "jay"}), 400, "different")
    factories.bot(world.other, "Wren")
    assert client.get(path, {"a": "jay", "b": "wren"}).json()["matches"] == 0


def test_ratings_with_strangers_are_a_separate_list(world: ApiWorld, client: APIClient) -> None:
    Rating.objects.filter(pool=POOL, version__bot__slug="jay").update(kind="strangers")
    assert client.get(ALL, {"pool": POOL}).json()["count"] == 3
    (row,) = client.get(ALL, {"pool": POOL, "kind": "strangers"}).json()["results"]
    assert (row["bot"]["slug"], row["kind"]) == ("jay", "strangers")
    assert_problem(client.get(ALL, {"kind": "friends"}), 400)


def test_the_history_of_fitted_ratings(world: ApiWorld, client: APIClient) -> None:
    points = client.get(f"{ALL}jay/history/fitted/", {"pool": POOL}).json()["results"]
    rating = client.get(ALL, {"pool": POOL, "bot": "jay"}).json()["results"][0]
    assert (points[-1]["fitted"], points[-1]["low"]) == (rating["fitted"], rating["low"])
    assert points[-1]["version"] == 1
    assert client.get(f"{ALL}jay/history/fitted/", {"version": 2}).json()["count"] == 0


def test_pools_and_teams(world: ApiWorld, client: APIClient) -> None:
    (pool,) = client.get(f"{ALL}pools/", {"pool": POOL}).json()["results"]
    assert (pool["components"], pool["groups"]) == (1, 6)
    first, second = pool["effects"]
    assert first["points"] == -second["points"]
    jay, rook = (Bot.objects.get(slug=slug).active_version for slug in ("jay", "rook"))
    rating = TeamRating.objects.create(pool=POOL, key="1+2", fitted=1300, low=1250, high=1350)
    rating.members.set([version for version in (jay, rook) if version])
    (team,) = client.get(f"{ALL}teams/", {"bot": "rook"}).json()["results"]
    assert {member["bot"]["slug"] for member in team["members"]} == {"jay", "rook"}
    assert client.get(f"{ALL}teams/", {"bot": "magpie"}).json()["count"] == 0


def test_head_to_head_gives_the_probability_of_being_better(
    world: ApiWorld, client: APIClient
) -> None:
    path, query = f"{ALL}head-to-head/", {"a": "jay", "b": "rook", "pool": POOL}
    comparison = client.get(path, query).json()["comparison"]
    other = client.get(path, {**query, "a": "rook", "b": "jay"}).json()["comparison"]
    assert comparison["probability"] + other["probability"] == pytest.approx(1)
    assert (comparison["probability"] > 0.5) == (comparison["difference"] > 0)
    assert comparison["low"] < comparison["difference"] < comparison["high"]
    Rating.objects.filter(pool=POOL).update(component=F("version"))
    assert client.get(path, query).json()["comparison"]["probability"] is None
    assert client.get(path, {**query, "pool": "canasta"}).json()["comparison"] is None
