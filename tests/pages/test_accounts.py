"""Signing up, logging in and out, tokens, the password."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cardroom.actions.tokens import find_token, make_token
from cardroom.models import Token
from tests import factories
from tests.pages.test_pages import read

pytestmark = pytest.mark.django_db
GOOD = {"username": "wren", "password1": "mossy-nest-3", "password2": "mossy-nest-3"}


def test_sign_up_logs_in_and_leads_to_the_upload(client: Client) -> None:
    response = client.post("/signup/", GOOD)
    assert response["Location"] == "/upload/"
    assert client.get("/account/").status_code == 200
    assert User.objects.get().username == "wren"


def test_sign_up_goes_on_where_it_came_from(client: Client) -> None:
    page = client.get("/signup/?next=/tournaments/new/").content.decode()
    assert 'name="next" value="/tournaments/new/"' in page
    response = client.post("/signup/", GOOD | {"next": "/tournaments/new/"})
    assert response["Location"] == "/tournaments/new/"


def test_sign_up_never_leads_elsewhere(client: Client) -> None:
    assert client.post("/signup/", GOOD | {"next": "//evil.example"})["Location"] == "/upload/"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"username": "a b"}, "A user name has only letters, digits"),
        ({"username": "taken"}, "Somebody has this name already"),
        ({"password2": "other"}, "match"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"username": ""}, "required"),
    ],
)
def test_what_is_wrong_is_said_and_the_name_kept(
    client: Client, changes: dict[str, str], words: str
) -> None:
    factories.user("taken")
    response = client.post("/signup/", GOOD | changes)
    assert response.status_code == 200
    page = response.content.decode()
    read(page)
    assert words in page
    assert User.objects.count() == 1


def test_log_in_and_out(client: Client) -> None:
    factories.user("wren")
    wrong = client.post("/login/", {"username": "wren", "password": "no"})
    assert b"No account has this user name and password" in wrong.content
    right = client.post("/login/", {"username": "wren", "password": "secret", "next": "/account/"})
    assert right["Location"] == "/account/"
    assert client.get("/login/")["Location"] == "/"
    assert client.post("/logout/")["Location"] == "/"
    assert client.get("/account/").status_code == 302


def test_a_token_is_shown_once_listed_and_revoked(client: Client) -> None:
    user = factories.user("wren")
    client.force_login(user)
    assert b"You have none yet" in client.get("/account/").content
    asked = {"name": "build server", "scope": ["read", "upload"], "days": "30"}
    made = client.post("/account/tokens/", asked).content.decode()
    read(made)
    (secret,) = set(re.findall(r"crd_[A-Za-z0-9_-]{43}", made))
    token = find_token(secret)
    assert token is not None
    assert (token.user, token.scopes) == (user, ["read", "upload"])
    page = client.get("/account/").content.decode()
    read(page)
    assert "build server" in page
    assert token.hint in page
    assert secret not in page
    client.force_login(factories.user("thief"))
    client.post(f"/account/tokens/{token.pk}/revoke/")
    assert find_token(secret)
    client.force_login(user)
    client.post(f"/account/tokens/{token.pk}/revoke/")
    assert find_token(secret) is None


def test_what_is_wrong_with_a_token_is_said(client: Client) -> None:
    client.force_login(factories.user("wren"))
    page = client.post("/account/tokens/", {"name": "x\u202ey", "scope": "read", "days": "7"})
    assert "U+202E" in page.content.decode()
    page = client.post("/account/tokens/", {"name": "x", "days": "7"})
    assert "select at least one box" in page.content.decode()
    assert client.post("/account/tokens/", {"scope": "all", "days": "9"}).status_code == 200
    assert Token.objects.count() == 0


def test_a_changed_password_ends_other_sessions_and_asks_about_tokens(client: Client) -> None:
    user = factories.user("wren")
    other = Client()
    for each in (client, other):
        each.post("/login/", {"username": "wren", "password": "secret"})
    _, kept = make_token(user, "x", ["read"], 7)
    new = {"old_password": "secret", "new_password1": "mossy-nest-3"}
    new["new_password2"] = new["new_password1"]
    wrong = client.post("/account/password/", new | {"old_password": "guess"})
    assert b"That is not your password" in wrong.content
    read(wrong.content.decode())
    assert client.post("/account/password/", new)["Location"] == "/account/"
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    assert find_token(kept)
    new = dict.fromkeys(new, "mossy-nest-4") | {"old_password": "mossy-nest-3"}
    client.post("/account/password/", new | {"revoke": "on"})
    assert find_token(kept) is None


def test_the_old_password_cannot_be_guessed(client: Client) -> None:
    client.force_login(factories.user("wren"))
    answers = [
        client.post("/account/password/", {"old_password": f"guess {n}"}).status_code
        for n in range(6)
    ]
    assert answers == [200] * 4 + [429] * 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t\u0430ken", "U+0430 CYRILLIC SMALL LETTER A"),
        ("TAKEN", "looks like it"),
        ("taken\u200b", "only letters"),
        ("admin", "pass for the site"),
        ("st4rling", None),
        ("5taff", "pass for the site"),
        ("North", "A seat at every table"),
        ("\uff41dmin", "pass for the site"),
        ("r00t", "pass for the site"),
    ],
)
def test_names_that_pass_for_others_cannot_be_had(
    client: Client, name: str, words: str | None
) -> None:
    factories.user("taken")
    page = client.post("/signup/", GOOD | {"username": name})
    if words is None:
        assert page.status_code == 302
    else:
        assert words in page.content.decode()
        assert User.objects.count() == 1


def test_sign_ups_are_counted_by_address(client: Client) -> None:
    answers = [client.post("/signup/", {}).status_code for _ in range(21)]
    assert answers == [200] * 20 + [429]
    held = client.post("/signup/", GOOD, headers={"X-Forwarded-For": "192.0.2.9"})
    assert held.status_code == 429
    assert 0 < int(held["Retry-After"]) <= 3600
    read(held.content.decode())
    assert client.post("/signup/", GOOD, REMOTE_ADDR="192.0.2.9").status_code == 302
