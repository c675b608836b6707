"""Tokens by REST: requests, scopes, expiry and revocation."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from cardroom.actions import tokens
from cardroom.models import Token
from cardroom_base.core.scopes import DEFAULT_SCOPES, SCOPES
from tests.api.conftest import SOURCE, ApiWorld, assert_problem

TOKENS = "/api/v1/tokens/"
BOTS = "/api/v1/bots/"
CREDENTIALS = {"username": "owner", "password": "secret"}


def request_token(client: APIClient, **fields: Any) -> Any:
    return client.post(TOKENS, CREDENTIALS | fields, format="json")


def client_with(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return client


def client_with_scope(user: User, *scopes: str) -> APIClient:
    return client_with(tokens.make_token(user, "x", scopes, 1)[1])


def test_a_token_acts_for_its_account(world: ApiWorld, client: APIClient) -> None:
    response = request_token(client, name="build server", days=30)
    assert response.status_code == 201
    assert response["Cache-Control"] == "no-store"
    body = response.json()
    assert body["token"].startswith("crd_")
    assert (body["name"], body["scope"], body["used"]) == (
        "build server",
        list(DEFAULT_SCOPES),
        None,
    )
    token = Token.objects.get()
    assert token.expires is not None
    assert timedelta(days=29) < token.expires - timezone.now() < timedelta(days=30)
    browser = client_with(body["token"])
    assert browser.get(f"{BOTS}magpie/versions/1/check/").status_code == 200
    (row,) = browser.get(TOKENS).json()
    assert row["used"] is not None
    assert {**row, "used": None} == {key: body[key] for key in body if key != "token"}
    assert browser.delete(TOKENS).status_code == 204
    response = browser.get(BOTS)
    assert_problem(response, 401, "revoked")
    assert response["WWW-Authenticate"] == "Token"
    # A revoked token in the header does not prevent a request for a new one.
    assert request_token(browser).json()["token"] != body["token"]


def test_the_secret_is_not_stored(world: ApiWorld, client: APIClient) -> None:
    secret = request_token(client).json()["token"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM cardroom_token")
        assert secret not in str(cursor.fetchall())


def test_an_account_may_have_several_tokens(world: ApiWorld, client: APIClient) -> None:
    first, second = (request_token(client, name=name).json() for name in ("a", "b"))
    assert client_with(second["token"]).delete(f"{TOKENS}{first['id']}/").status_code == 204
    assert_problem(client_with(first["token"]).get(BOTS), 401)
    assert client_with(second["token"]).get(BOTS).status_code == 200
    assert_problem(client_with(second["token"]).delete(f"{TOKENS}{first['id']}/"), 404)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"scope": ["everything"]}, "scope.0"),
        ({"scope": []}, "scope"),
        ({"days": 0}, "days"),
        ({"days": 9999}, "days"),
        ({"name": "a\u202eb"}, "name"),
        ({"name": ""}, "name"),
        ({"scopes": ["read"]}, "scopes"),
    ],
)
def test_errors_name_their_fields(
    world: ApiWorld, client: APIClient, fields: dict[str, Any], field: str
) -> None:
    assert field in assert_problem(request_token(client, **fields), 400)["errors"]


def test_a_wrong_password_gets_no_token(world: ApiWorld, client: APIClient) -> None:
    first = assert_problem(request_token(client, username="nobody"), 400)
    assert assert_problem(request_token(client, password="x"), 400) == first
    User.objects.filter(username="owner").update(is_active=False)
    assert assert_problem(request_token(client), 400) == first


def test_the_number_of_tokens_is_limited(world: ApiWorld, client: APIClient) -> None:
    for n in range(tokens.MAX_TOKENS):
        tokens.make_token(world.owner, f"t{n}", SCOPES, 1)
    assert_problem(request_token(client), 409, "revoke")
    Token.objects.filter(name="t7").update(expires=timezone.now())
    assert request_token(client).status_code == 201


def test_expired_tokens_and_tokens_of_inactive_owners_are_refused(world: ApiWorld) -> None:
    client = client_with_scope(world.owner, "read")
    assert client.get(TOKENS).status_code == 200
    User.objects.filter(pk=world.owner.pk).update(is_active=False)
    assert_problem(client.get(TOKENS), 401)
    User.objects.filter(pk=world.owner.pk).update(is_active=True)
    Token.objects.update(expires=timezone.now())
    assert_problem(client.get(TOKENS), 401, "expired")


def test_the_time_of_use_is_not_written_at_every_request(
    world: ApiWorld, django_assert_num_queries: Any
) -> None:
    _, secret = tokens.make_token(world.owner, "x", ["read"], 1)
    with django_assert_num_queries(2):
        tokens.find_token(secret)
    with django_assert_num_queries(1):
        tokens.find_token(secret)


def upload(client: APIClient) -> Any:
    import io

    file = io.BytesIO(SOURCE)
    file.name = "bot.py"
    return client.post(BOTS, {"package": file, "name": "Wren"}, format="multipart")


def create_draft(client: APIClient) -> Any:
    data = {"name": "Cup", "format": "cassino/standard/1v1"}
    return client.post("/api/v1/tournaments/", data, format="json")


def read_check(client: APIClient) -> Any:
    return client.get(f"{BOTS}magpie/versions/1/check/")


@pytest.mark.parametrize(
    ("scope", "allowed"), [("read", read_check), ("upload", upload), ("organize", create_draft)]
)
def test_each_scope_allows_only_its_actions(world: ApiWorld, scope: str, allowed: Any) -> None:
    for action in (read_check, upload, create_draft):
        response = action(client_with_scope(world.owner, scope))
        if action is allowed:
            assert response.status_code in (200, 201), (scope, action)
        else:
            body = assert_problem(response, 403, f"This token has the scope {scope}; this needs")
            assert body["type"] == "urn:cardroom:problem:missing-scope"


def test_a_token_of_one_scope_can_revoke_only_itself(world: ApiWorld) -> None:
    other, _ = tokens.make_token(world.owner, "other", SCOPES, 1)
    token, secret = tokens.make_token(world.owner, "own", ["read"], 1)
    client = client_with(secret)
    assert_problem(client.delete(TOKENS), 403, "only itself")
    assert_problem(client.delete(f"{TOKENS}{other.pk}/"), 403)
    assert client.delete(f"{TOKENS}{token.pk}/").status_code == 204
    assert list(Token.objects.all()) == [other]


def test_tokens_of_others_cannot_be_revoked(world: ApiWorld) -> None:
    token, _ = tokens.make_token(world.owner, "theirs", SCOPES, 1)
    assert_problem(client_with_scope(world.other, *SCOPES).delete(f"{TOKENS}{token.pk}/"), 404)


def test_guessing_is_throttled_despite_forged_forwarding(
    world: ApiWorld, client: APIClient
) -> None:
    responses = [
        client.post(
            TOKENS,
            {"username": f"user{n}", "password": "x"},
            format="json",
            HTTP_X_FORWARDED_FOR=f"192.0.2.{n}",
        ).status_code
        for n in range(11)
    ]
    assert responses == [400] * 10 + [429]
