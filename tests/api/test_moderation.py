"""Moderation by REST: the same actions and permissions as on the page."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from bots.access import MODERATOR
from cardroom.actions.tokens import make_token
from cardroom.models import Moderation
from tests import factories as make
from tournaments import actions

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/moderation/"


@pytest.fixture
def moderator() -> User:
    user = make.user("judge")
    user.groups.add(Group.objects.get_or_create(name=MODERATOR)[0])
    return user


def client_of(user: User, *scopes: str) -> APIClient:
    client = APIClient()
    _, secret = make_token(user, "x", scopes, 1)
    client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return client


def test_a_moderator_moderates_and_reads_the_log(moderator: User) -> None:
    bot, client = make.bot(make.user("wren"), "Magpie"), client_of(moderator, "read", "moderate")
    body = {"action": "quarantine", "bot": bot.slug, "reason": "Floods stderr."}
    response = client.post(ADDRESS, body, format="json")
    assert response.status_code == 201, response.content
    line = response.json()
    assert (line["kind"], line["field"], line["by"]) == ("quarantine", "", "judge")
    assert line["subject"] == "Magpie"
    bot.refresh_from_db()
    assert bot.quarantined
    assert client.get(ADDRESS).json()["results"] == [line]
    assert client.post(ADDRESS, body, format="json").status_code == 409  # already
    cup = make.tournament(name="Rude Cup", by=make.user("organizer"))
    body = {"action": "name", "tournament": cup.slug, "text": "Polite Cup", "reason": "Rude."}
    assert client.post(ADDRESS, body, format="json").status_code == 201
    cup.refresh_from_db()
    assert cup.name == "Polite Cup"
    body = {"action": "name", "bot": bot.slug, "text": "Rook", "reason": "Rude."}
    line = client.post(ADDRESS, body, format="json").json()
    assert (line["kind"], line["subject"], line["address"]) == ("change", "Rook", "/bots/rook/")
    assert line["field"] == "name"
    posted = actions.post_announcement(cup, cup.organizer, "Insult")
    body = {"action": "announcement", "tournament": cup.slug, "reason": "Rude."}
    body |= {"item": str(posted.pk), "text": ""}
    assert client.post(ADDRESS, body, format="json").status_code == 201
    assert not cup.announcements.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"action": "quarantine", "bot": "magpie"}, "reason"),
        ({"action": "quarantine", "bot": "magpie", "reason": " "}, "reason"),
        ({"action": "quarantine", "reason": "x"}, "bot"),
        ({"action": "quarantine", "bot": "nobody", "reason": "x"}, "bot"),
        ({"action": "quarantine", "bot": "magpie", "user": "wren", "reason": "x"}, "user"),
        ({"action": "banish", "user": "wren", "reason": "x"}, "action"),
    ],
)
def test_an_incomplete_action_is_refused(body: dict[str, str], field: str, moderator: User) -> None:
    make.bot(make.user("wren"), "Magpie")
    response = client_of(moderator, "moderate").post(ADDRESS, body, format="json")
    assert response.status_code == 400
    assert field in response.content.decode()
    assert not Moderation.objects.exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"action": "hide", "tournament": "no-cup"}, "There is no tournament no-cup."),
        ({"action": "suspend", "user": "nobody"}, "There is no user nobody."),
        ({"action": "hide"}, "hide needs a tournament."),
        ({"action": "name", "text": "x"}, "name needs a bot or a tournament."),
        ({"action": "name", "bot": "magpie", "tournament": "no-cup"}, "is for a bot or a tourn"),
        ({"action": "name", "bot": "magpie", "text": "x"}, "There is no bot magpie."),
        ({"action": "team", "bot": "magpie"}, "team is for a tournament."),
        ({"action": "team", "tournament": "no-cup", "item": "x"}, "team needs a text."),
        ({"action": "description", "bot": "magpie"}, "description needs a text."),
        ({"action": "hide", "bot": "magpie"}, "hide is for a tournament."),
    ],
)
def test_a_refusal_tells_an_unknown_subject_from_a_missing_one(
    body: dict[str, str], words: str, moderator: User
) -> None:
    response = client_of(moderator, "moderate").post(ADDRESS, body | {"reason": "x"}, format="json")
    assert response.status_code == 400
    assert words in response.content.decode()


def test_tokens_moderate_only_with_their_scope(moderator: User) -> None:
    make.user("wren")
    body = {"action": "suspend", "user": "wren", "reason": "x"}
    usual = client_of(moderator, "read", "upload", "organize")
    assert usual.post(ADDRESS, body, format="json").status_code == 403
    data = {"username": "judge", "password": "secret"}
    token = APIClient().post("/api/v1/tokens/", data, format="json").json()
    assert "moderate" not in token["scope"]
