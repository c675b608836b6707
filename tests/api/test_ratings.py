"""REST: ratings, history, head to head."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rest_framework.test import APIClient

from tests import factories
from tests.api.conftest import World, assert_problem

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

ALL = "/api/v1/ratings/"
POOL = "cassino/standard/1v1"


def test_ratings_of_a_pool_best_first(
    world: World, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
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


def test_ratings_can_be_narrowed(world: World, client: APIClient) -> None:
    def pools(**query: Any) -> list[str]:
        return [row["pool"] for row in client.get(ALL, query).json()["results"]]

    assert pools(bot="jay") == ["cassino", POOL, "overall"]
    assert len(pools(current="true")) == 12
    assert pools(current="false") == []
    assert pools(pool="nothing") == []


def test_history_tells_every_match(
    world: World, client: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):  # bot, count, rows
        steps = client.get(f"{ALL}jay/history/", {"pool": POOL}).json()["results"]
    assert len(steps) == 6
    assert all(a["after"] == b["before"] for a, b in pairwise(steps))
    rating = client.get(ALL, {"pool": POOL, "bot": "jay"}).json()["results"][0]
    assert steps[-1]["after"] == rating["live"]
    assert len(client.get(f"{ALL}jay/history/").json()["results"]) == 18
    assert_problem(client.get(f"{ALL}nobody/history/"), 404)


def test_head_to_head_is_the_same_from_both_sides(world: World, client: APIClient) -> None:
    path = f"{ALL}head-to-head/"
    shown = client.get(path, {"a": "jay", "b": "rook"}).json()
    other = client.get(path, {"a": "rook", "b": "jay"}).json()
    assert (shown["matches"], shown["groups"]) == (2, 1)
    assert shown["a_ahead"] == other["b_ahead"]
    assert shown["a_ahead"] + shown["level"] + shown["b_ahead"] == 2
    assert shown["points"] == (shown["a_ahead"] + shown["level"] / 2) / 2
    assert shown["difference"] == -other["difference"]
    for pool in ("overall", "cassino", POOL):
        assert client.get(path, {"a": "jay", "b": "rook", "pool": pool}).json()["matches"] == 2
    for pool in ("canasta", "cassino/royal/1v1", "cass"):
        assert client.get(path, {"a": "jay", "b": "rook", "pool": pool}).json()["matches"] == 0


def test_head_to_head_needs_two_bots(world: World, client: APIClient) -> None:
    path = f"{ALL}head-to-head/"
    assert set(assert_problem(client.get(path), 400)["errors"]) == {"a", "b"}
    assert_problem(client.get(path, {"a": "jay", "b": "nobody"}), 400, "nobody")
    assert_problem(client.get(path, {"a": "jay", "b": "jay"}), 400, "different")
    factories.bot(world.other, "Wren")
    assert client.get(path, {"a": "jay", "b": "wren"}).json()["matches"] == 0
