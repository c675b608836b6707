"""Visibility of tournaments: changes, links, codes, secrets."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from cardroom.logs import without_secrets
from cardroom.pages.common.replay_source import match_source
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions
from tournaments.models import Tournament
from tournaments.visibility import visible_to

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _plain_static_files(settings: Any) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    cache.clear()


@pytest.fixture
def organizer() -> User:
    return make.user("organizer")


def hidden_cup(by: User, visibility: str, bots: int = 0, **fields: Any) -> Tournament:
    return make.tournament(
        bots, name="Class Cup", by=by, rated=False, visibility=visibility, **fields
    )


def sees(user: User, cup: Tournament) -> bool:
    return visible_to(user).filter(pk=cup.pk).exists()


def test_a_rated_tournament_is_visible_to_all(organizer: User) -> None:
    with pytest.raises(ActionError, match="visible to all") as refusal:
        make.tournament(by=organizer, visibility="code")
    assert refusal.value.field == "visibility"
    cup = make.tournament(by=organizer)
    with pytest.raises(ActionError, match="visible to all"):
        actions.set_visibility(cup, organizer, visibility="link")


def test_the_link_of_a_draft_opens_nothing(organizer: User) -> None:
    draft = actions.create_tournament(
        organizer, name="Draft", format=make.FORMAT, rated=False, visibility="link"
    )
    with pytest.raises(ActionError, match="No tournament"):
        actions.join(draft.key, make.user())
    key = draft.key
    actions.update_tournament(draft, organizer, visibility="link", name="Draft 2")
    draft.refresh_from_db()
    assert draft.key == key  # the organizer may have sent the link already


def test_codes_are_accepted_in_any_spelling(organizer: User) -> None:
    cup, pupil = hidden_cup(organizer, "code"), make.user()
    assert not sees(pupil, cup)
    assert actions.join(f" {cup.key[:5]}-{cup.key[5:]} ".lower(), pupil) == cup
    assert actions.join(cup.key, pupil) == cup
    assert sees(pupil, cup)
    for wrong_code in ("", " ", "-", cup.key[:-1]):
        with pytest.raises(ActionError, match="No tournament"):
            actions.join(wrong_code, pupil)


def test_a_new_code_removes_admissions_by_the_old_one(organizer: User) -> None:
    cup = hidden_cup(organizer, "code")
    pupil, guest, author = make.user(), make.user("guest"), make.user()
    for user in (pupil, author):
        actions.join(cup.key, user)
    actions.enter(cup, make.bot(author), author)
    actions.set_visibility(cup, organizer, invited=["guest"])
    old = cup.key
    cup = actions.set_visibility(cup, organizer, renew=True)
    assert cup.key != old
    assert [sees(user, cup) for user in (pupil, guest, author)] == [False, True, True]
    actions.set_visibility(cup, organizer, invited=[])
    assert not sees(guest, cup)


@pytest.mark.parametrize("visibility", ["all", "invited"])
def test_only_a_link_or_a_code_can_be_renewed(organizer: User, visibility: str) -> None:
    cup = hidden_cup(organizer, "code")
    cup = actions.set_visibility(cup, organizer, visibility=visibility, renew=True)
    with pytest.raises(ActionError, match="no link or code to renew"):
        actions.set_visibility(cup, organizer, renew=True)


def test_invited_partners_see_the_tournament(organizer: User) -> None:
    cup = hidden_cup(organizer, "invited", format="cassino/standard/2v2?deals=1", partners="fixed")
    author, partner = make.user("author"), make.user("partner")
    actions.set_visibility(cup, organizer, invited=["author"])
    actions.enter_team(cup, [make.bot(author), make.bot(partner)], author)
    assert sees(partner, cup)


def test_the_log_lists_changes_without_secrets(organizer: User) -> None:
    cup = hidden_cup(organizer, "code")
    actions.set_visibility(cup, organizer, visibility="all")
    actions.set_visibility(cup, organizer, visibility="invited", invited=["organizer"])
    log_entries = list(cup.decisions.values_list("kind", "reason"))
    assert log_entries == [
        ("visibility", "It is now visible to everybody."),
        ("visibility", "It is now visible to invited people."),
    ]


def test_after_the_end_visibility_changes_only_to_all(organizer: User) -> None:
    cup = actions.cancel(hidden_cup(organizer, "code"), organizer)
    with pytest.raises(ActionError, match="only show it to all"):
        actions.set_visibility(cup, organizer, visibility="link")
    assert actions.set_visibility(cup, organizer, visibility="all").is_public


def test_only_organizer_and_staff_change_visibility(organizer: User) -> None:
    cup, author = hidden_cup(organizer, "code"), make.user()
    with pytest.raises(ActionError, match="Only the organizer"):
        actions.set_visibility(cup, author, visibility="all")
    assert actions.set_visibility(cup, make.user(staff=True), visibility="link").key


def test_unknown_people_cannot_be_invited(organizer: User) -> None:
    cup = hidden_cup(organizer, "invited")
    with pytest.raises(ActionError, match="No account is called nobody") as refusal:
        actions.set_visibility(cup, organizer, invited=["organizer", "nobody"])
    assert refusal.value.field == "invited"
    assert not cup.admissions.exists()


def test_refusals_of_names_reveal_no_hidden_tournament(organizer: User) -> None:
    cup, other = hidden_cup(organizer, "invited"), make.user()
    double = make.tournament(name="Class Cup", by=other)
    assert double.slug != cup.slug
    with pytest.raises(ActionError, match="Another organizer"):  # only now both would be visible
        actions.set_visibility(cup, organizer, visibility="all")


def test_a_link_opens_a_tournament_in_one_browser(organizer: User, caplog: Any) -> None:
    cup = hidden_cup(organizer, "link")
    browser, other_browser, page = Client(), Client(), f"/tournaments/{cup.slug}/"
    with caplog.at_level(logging.INFO):
        response = browser.get(page, {"invitation": cup.key})
    assert (response.status_code, response["Location"]) == (302, page)
    assert response["Referrer-Policy"] == "strict-origin"
    assert cup.key not in caplog.text
    assert cup.key not in without_secrets(f"GET {page}?invitation={cup.key}")
    assert browser.get(page).status_code == 200
    assert browser.get(f"/api/v1{page}").status_code == 200  # used by the page's scripts
    assert other_browser.get(page).status_code == 404
    other_browser.get(page, {"invitation": "guessed"})
    assert other_browser.get(page).status_code == 404
    actions.set_visibility(cup, organizer, renew=True)
    assert browser.get(page).status_code == 404


def test_an_account_is_admitted_by_a_link(organizer: User) -> None:
    cup, pupil = hidden_cup(organizer, "link"), make.user()
    browser = Client()
    browser.force_login(pupil)
    browser.get(f"/tournaments/{cup.slug}/", {"invitation": cup.key})
    assert sees(pupil, cup)


def test_secrets_are_shown_to_the_organizer_only(organizer: User) -> None:
    cup, pupil = hidden_cup(organizer, "code"), make.user()
    actions.join(cup.key, pupil)
    for user, is_shown in ((pupil, False), (organizer, True)):
        browser = Client()
        browser.force_login(user)
        address = f"/tournaments/{cup.slug}/conditions/"
        page = browser.get(address, headers={"Accept-Encoding": "gzip"})
        assert (cup.key in page.content.decode()) == is_shown
        assert (
            "Content-Encoding" not in page.headers
        )  # the compressed length could reveal the secret
        rest = browser.get(f"/api/v1/tournaments/{cup.slug}/").json()
        assert rest["visibility"] == "code"
        assert cup.key not in str(rest)


def test_visibility_by_rest(organizer: User) -> None:
    cup, client = hidden_cup(organizer, "code"), APIClient()
    client.force_login(organizer)
    address = f"/api/v1/tournaments/{cup.slug}/visibility/"
    body = client.get(address).json()
    assert body == {"visibility": "code", "link": None, "code": cup.key, "invited": [], "joined": 0}
    body = client.post(
        address, {"visibility": "link", "invited": ["organizer"]}, format="json"
    ).json()
    key = Tournament.objects.get().key
    assert body["link"] == f"http://testserver/tournaments/{cup.slug}/?invitation={key}"
    assert body["invited"] == ["organizer"]
    pupil = make.user()
    client.force_login(pupil)
    assert client.post("/api/v1/join/", {"code": "wrong"}, format="json").status_code == 400
    tournament = client.post("/api/v1/join/", {"code": key}, format="json").json()
    assert tournament["slug"] == cup.slug
    assert sees(pupil, cup)


def test_codes_are_limited(organizer: User, settings: Any) -> None:
    browser = Client()
    browser.force_login(organizer)
    for _ in range(30):
        browser.post("/join/", {"code": "guessed"})
    cup = hidden_cup(organizer, "code")
    page = browser.post("/join/", {"code": cup.key}, follow=True)
    assert "Too many codes" in page.content.decode()


def test_a_table_from_a_hidden_match_is_not_public(organizer: User) -> None:
    cup = make.finish_all(hidden_cup(organizer, "code", bots=2, start=True))
    assert not match_source(cup.matches.earliest("pk")).watched
    cup = actions.set_visibility(cup, organizer, visibility="all")
    assert match_source(cup.matches.earliest("pk")).watched
