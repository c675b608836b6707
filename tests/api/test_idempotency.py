"""REST: a repeated POST with an `Idempotency-Key` changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from cardroom.actions.tokens import find_token
from cardroom.housekeeping import TASKS
from cardroom.models import Token
from cardroom_base.db.db_time import Now
from cardroom_base.models import RESPONSES_KEPT, IdempotentRequest
from tests.api.conftest import FORMAT, ApiWorld, assert_problem
from tournaments.models import Challenge, Tournament

TOURNAMENTS = "/api/v1/tournaments/"
TOKENS = "/api/v1/tokens/"
CUP = {"name": "Autumn Cup", "format": FORMAT}
CHALLENGE = {"bot": "magpie", "against": "jay", "format": FORMAT, "groups": 1}


def post(by: User | None, address: str, body: dict[str, Any], key: str | None) -> Any:
    client = APIClient()
    client.force_authenticate(by)
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(address, body, format="json", headers=headers)


@pytest.mark.parametrize("action", ["create", "repeat", "challenge"])
def test_a_repeated_request_gets_the_first_response(world: ApiWorld, action: str) -> None:
    requests: dict[str, tuple[User, str, dict[str, Any]]] = {
        "create": (world.organizer, TOURNAMENTS, CUP),
        "repeat": (world.organizer, f"{TOURNAMENTS}{world.finished.slug}/repeat/", {}),
        "challenge": (world.owner, "/api/v1/challenges/", CHALLENGE),
    }
    by, address, body = requests[action]
    count = Tournament.objects.count()
    first = post(by, address, body, "k")
    assert first.status_code == 201, first.content
    again = post(by, address, body, "k")
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Location"] == first["Location"]
    assert Tournament.objects.count() == count + 1
    assert post(by, address, body, "other").json() != first.json()
    assert post(by, address, body, None).json() != first.json()
    assert Tournament.objects.count() == count + 3


def test_a_key_belongs_to_one_request_of_one_account(world: ApiWorld) -> None:
    first = post(world.organizer, TOURNAMENTS, CUP, "k")
    for address, body in (
        (TOURNAMENTS, CUP | {"name": "Winter Cup"}),
        (f"{TOURNAMENTS}{world.finished.slug}/repeat/", CUP),
    ):
        assert_problem(post(world.organizer, address, body, "k"), 409, "another request")
    other = post(world.other, TOURNAMENTS, CUP, "k")
    assert other.status_code == 201
    assert other.json() != first.json()
    assert_problem(post(None, TOURNAMENTS, CUP, "k"), 401)


def test_a_refused_request_is_tried_again(world: ApiWorld) -> None:
    address, body = "/api/v1/challenges/", CHALLENGE
    type(world.bots[2]).objects.filter(slug="jay").update(takes_challenges=False)
    assert_problem(post(world.owner, address, body, "k"), 403)
    type(world.bots[2]).objects.filter(slug="jay").update(takes_challenges=True)
    assert post(world.owner, address, body, "k").status_code == 201
    assert Challenge.objects.count() == 1


@pytest.mark.parametrize("key", ["", "two words", "ключ", "x" * 256])
def test_invalid_keys_are_refused(world: ApiWorld, key: str) -> None:
    count = Tournament.objects.count()
    assert_problem(post(world.organizer, TOURNAMENTS, CUP, key), 400, "1 to 255")
    assert Tournament.objects.count() == count


def test_a_repeated_request_for_a_token_replaces_the_secret(world: ApiWorld) -> None:
    body = {"username": "owner", "password": "secret", "name": "laptop"}
    first = post(None, TOKENS, body, "k").json()
    response = post(None, TOKENS, body, "k")
    assert (response.status_code, response["Cache-Control"]) == (201, "no-store")
    second = response.json()
    assert (second["id"], second["name"]) == (first["id"], "laptop")
    assert find_token(first["token"]) is None
    assert find_token(second["token"]) == Token.objects.get()
    stored = str(IdempotentRequest.objects.values().get())
    assert first["token"] not in stored
    assert "secret" not in stored
    assert_problem(post(None, TOKENS, body | {"password": "guess"}, "k"), 400, "no account")
    assert_problem(post(None, TOKENS, body | {"days": 1}, "k"), 409, "another request")
    Token.objects.all().delete()
    assert_problem(post(None, TOKENS, body, "k"), 409, "revoked")


def test_responses_are_kept_for_a_day(world: ApiWorld) -> None:
    first = post(world.organizer, TOURNAMENTS, CUP, "k").json()
    nearly_a_day = RESPONSES_KEPT.total_seconds() - 60
    IdempotentRequest.objects.update(created=Now(-nearly_a_day))
    TASKS["door"]()
    assert post(world.organizer, TOURNAMENTS, CUP, "k").json() == first
    IdempotentRequest.objects.update(created=Now(-nearly_a_day - 120))
    assert post(world.organizer, TOURNAMENTS, CUP, "k").json() != first
    IdempotentRequest.objects.update(created=Now(-nearly_a_day - 120))
    TASKS["door"]()
    assert not IdempotentRequest.objects.exists()
