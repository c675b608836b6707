"""Tokens by REST: asking for them, what they are good for, how they end."""

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
from tests.api.conftest import SOURCE, World, assert_problem

TOKENS = "/api/v1/tokens/"
BOTS = "/api/v1/bots/"
RIGHT = {"username": "owner", "password": "secret"}


def ask(client: APIClient, **more: Any) -> Any:
    return client.post(TOKENS, RIGHT | more, format="json")


def bearer(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return client


def holding(user: User, *scopes: str) -> APIClient:
    return bearer(tokens.make_token(user, "x", scopes, 1)[1])


def test_a_token_opens_what_its_account_may(world: World, client: APIClient) -> None:
    response = ask(client, name="build server", days=30)
    assert response.status_code == 201
    assert response["Cache-Control"] == "no-store"
    made = response.json()
    assert made["token"].startswith("crd_")
    assert (made["name"], made["scope"], made["used"]) == (
        "build server",
        list(DEFAULT_SCOPES),
        None,
    )
    token = Token.objects.get()
    assert token.expires is not None
    assert timedelta(days=29) < token.expires - timezone.now() < timedelta(days=30)
    known = bearer(made["token"])
    assert known.get(f"{BOTS}magpie/versions/1/check/").status_code == 200
    (listed,) = known.get(TOKENS).json()
    assert listed["used"] is not None
    assert {**listed, "used": None} == {key: made[key] for key in made if key != "token"}
    assert known.delete(TOKENS).status_code == 204
    response = known.get(BOTS)
    assert_problem(response, 401, "revoked")
    assert response["WWW-Authenticate"] == "Token"
    # An old token must not keep anybody from asking for a new one.
    assert ask(known).json()["token"] != made["token"]


def test_the_secret_is_kept_nowhere(world: World, client: APIClient) -> None:
    secret = ask(client).json()["token"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM cardroom_token")
        assert secret not in str(cursor.fetchall())


def test_several_tokens_live_side_by_side(world: World, client: APIClient) -> None:
    first, second = (ask(client, name=name).json() for name in ("a", "b"))
    assert bearer(second["token"]).delete(f"{TOKENS}{first['id']}/").status_code == 204
    assert_problem(bearer(first["token"]).get(BOTS), 401)
    assert bearer(second["token"]).get(BOTS).status_code == 200
    assert_problem(bearer(second["token"]).delete(f"{TOKENS}{first['id']}/"), 404)


@pytest.mark.parametrize(
    ("more", "field"),
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
def test_what_is_wrong_is_said(
    world: World, client: APIClient, more: dict[str, Any], field: str
) -> None:
    assert field in assert_problem(ask(client, **more), 400)["errors"]


def test_a_wrong_password_gets_no_token(world: World, client: APIClient) -> None:
    first = assert_problem(ask(client, username="nobody"), 400)
    assert assert_problem(ask(client, password="x"), 400) == first
    User.objects.filter(username="owner").update(is_active=False)
    assert assert_problem(ask(client), 400) == first


def test_an_account_has_not_too_many(world: World, client: APIClient) -> None:
    for n in range(tokens.MAX_TOKENS):
        tokens.make_token(world.owner, f"t{n}", SCOPES, 1)
    assert_problem(ask(client), 409, "revoke")
    Token.objects.filter(name="t7").update(expires=timezone.now())
    assert ask(client).status_code == 201


def test_tokens_die_with_their_time_and_their_owner(world: World) -> None:
    client = holding(world.owner, "read")
    assert client.get(TOKENS).status_code == 200
    User.objects.filter(pk=world.owner.pk).update(is_active=False)
    assert_problem(client.get(TOKENS), 401)
    User.objects.filter(pk=world.owner.pk).update(is_active=True)
    Token.objects.update(expires=timezone.now())
    assert_problem(client.get(TOKENS), 401, "expired")


def test_being_used_is_not_written_at_every_request(
    world: World, django_assert_num_queries: Any
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


def draft(client: APIClient) -> Any:
    asked = {"name": "Cup", "format": "cassino/standard/1v1"}
    return client.post("/api/v1/tournaments/", asked, format="json")


def look(client: APIClient) -> Any:
    return client.get(f"{BOTS}magpie/versions/1/check/")


@pytest.mark.parametrize(
    ("scope", "does"), [("read", look), ("upload", upload), ("organize", draft)]
)
def test_each_scope_opens_its_own_door(world: World, scope: str, does: Any) -> None:
    for act in (look, upload, draft):
        answer = act(holding(world.owner, scope))
        if act is does:
            assert answer.status_code in (200, 201), (scope, act)
        else:
            body = assert_problem(answer, 403, f"This token has the scope {scope}; this needs")
            assert body["type"] == "urn:cardroom:problem:missing-scope"


def test_a_token_of_one_scope_revokes_itself_only(world: World) -> None:
    other, _ = tokens.make_token(world.owner, "other", SCOPES, 1)
    own, secret = tokens.make_token(world.owner, "own", ["read"], 1)
    client = bearer(secret)
    assert_problem(client.delete(TOKENS), 403, "only itself")
    assert_problem(client.delete(f"{TOKENS}{other.pk}/"), 403)
    assert client.delete(f"{TOKENS}{own.pk}/").status_code == 204
    assert list(Token.objects.all()) == [other]


def test_nobody_revokes_the_tokens_of_others(world: World) -> None:
    theirs, _ = tokens.make_token(world.owner, "theirs", SCOPES, 1)
    assert_problem(holding(world.other, *SCOPES).delete(f"{TOKENS}{theirs.pk}/"), 404)


def test_guessing_is_throttled_whatever_is_forwarded(world: World, client: APIClient) -> None:
    answers = [
        client.post(
            TOKENS,
            {"username": f"user{n}", "password": "x"},
            format="json",
            HTTP_X_FORWARDED_FOR=f"192.0.2.{n}",
        ).status_code
        for n in range(11)
    ]
    assert answers == [400] * 10 + [429]
