"""Unknown parameters and fields are refused with a list of known ones."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from cardroom_base.rest.strict_query import known_parameters
from tests.addresses import views
from tests.api.conftest import ApiWorld, assert_problem
from tests.api.test_openapi import document

V1 = "/api/v1/"


@pytest.mark.parametrize(
    ("query", "field", "detail"),
    [
        ("bots/?ower=x", "ower", "owner, name, house, playable, ordering, page, page_size"),
        ("bots/?ordering=owner", "ordering", "name, created"),
        ("bots/?ordering=name,-ower", "ordering", "'-ower'"),
        ("bots/?page_size=abc", "page_size", "1 to 500"),
        ("bots/?page_size=501", "page_size", "1 to 500"),
        ("bots/?page_size=0", "page_size", "1 to 500"),
        ("bots/?house=perhaps", "house", "true or false"),
        ("tournaments/?state=open&stat=x", "stat", "state"),
        ("tournaments/?state=opened", "state", "opened"),
        ("formats/?game=cassino&seats=2", "seats", "game, variant, table"),
        ("games/?q=x", "q", "page, page_size"),
        ("games/cassino/?q=x", "q", "it has none"),
        ("status/?x=1", "x", "it has none"),
        ("tournaments/autumn-cup/standings/?page=1", "page", "it has category"),
        ("tournaments/autumn-cup/export/?tabel=x", "tabel", "table, type"),
        ("ratings/head-to-head/?a=magpie&b=rook&c=jay", "c", "a, b, pool"),
        ("matches/?ordering=seed", "ordering", "id, finished, moves_played"),
    ],
)
def test_unknown_parameters_are_named(
    world: ApiWorld, client: APIClient, query: str, field: str, detail: str
) -> None:
    body = assert_problem(client.get(V1 + query), 400, detail)
    assert list(body["errors"]) == [field]


def test_only_some_of_many_unknown_parameters_are_named(client: APIClient) -> None:
    query = "&".join(f"{n}{'x' * 100}=1" for n in range(15))
    body = assert_problem(client.get(f"{V1}status/?{query}"), 400)
    assert len(body["errors"]) == 5
    assert all(len(name) <= 60 for name in body["errors"])


BODIES: list[tuple[str, str, dict[str, Any], str]] = [
    ("post", "tokens/", {"username": "x", "password": "y", "user": "z"}, "user"),
    ("patch", "bots/magpie/", {"nam": "x"}, "nam"),
    ("post", "tournaments/", {"name": "x", "format": "cassino/standard/1v1", "rate": 1}, "rate"),
    ("patch", "tournaments/summer-cup/", {"slug": "x"}, "slug"),
    ("post", "tournaments/spring-cup/entries/", {"bot": "rook", "version": 1}, "version"),
    ("post", "tournaments/winter-cup/priority/", {"priority": 1, "by": "x"}, "by"),
    ("post", "tournaments/winter-cup/rounds/rerun/", {"round": 1, "why": "x"}, "why"),
    ("post", "matches/1/rerun/", {"because": "x"}, "because"),
    ("post", "bots/magpie/versions/1/trial/", {"elo": 5}, "elo"),
]


@pytest.mark.parametrize(("method", "path", "body", "field"), BODIES)
def test_unknown_fields_are_named(
    world: ApiWorld, client: APIClient, method: str, path: str, body: dict[str, Any], field: str
) -> None:
    client.force_authenticate(world.staff)
    path = path.replace("matches/1", f"matches/{world.match.pk}")
    problem = assert_problem(getattr(client, method)(V1 + path, body, format="json"), 400)
    assert "This address has no field of this name; it has " in problem["errors"][field][0]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("tournaments/autumn-cup/cancel/", {"reason": "x"}, "reason"),
        ("bots/magpie/rollback/", {"version": 1}, "version"),
        ("bots/magpie/retire/", {"reason": "x"}, "reason"),
    ],
)
def test_addresses_without_fields_refuse_any_field(
    world: ApiWorld, client: APIClient, path: str, body: Any, field: str
) -> None:
    client.force_authenticate(world.staff)
    problem = assert_problem(client.post(V1 + path, body, format="json"), 400, "it has none")
    assert list(problem["errors"]) == [field]
    assert client.post(V1 + path, {}, format="json").status_code != 400


def test_unknown_fields_of_an_upload_are_named(world: ApiWorld, client: APIClient) -> None:
    client.force_authenticate(world.owner)
    data = {"package": "x", "colour": "red"}
    body = assert_problem(client.post(f"{V1}bots/", data, format="multipart"), 400, "description")
    assert "colour" in body["errors"]


def test_the_document_allows_no_additional_fields() -> None:
    schemas = document()["components"]["schemas"]
    assert schemas["NewTournamentRequest"]["additionalProperties"] is False
    assert schemas["NewBotRequest"]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["Bot"]


def test_the_document_lists_every_accepted_parameter() -> None:
    """Accepted parameters equal the documented ones."""
    views_by_path = {path: view for path, _, view in views()}
    for path, operations in document()["paths"].items():
        parameters = operations.get("get", {}).get("parameters", ())
        names = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
        assert names == set(known_parameters(views_by_path[path], "GET")), path
