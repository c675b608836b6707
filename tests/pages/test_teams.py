"""Teams on a tournament's page: entering, agreeing, withdrawing."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests import factories
from tests.pages.test_pages import read
from tournaments import actions
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup() -> Tournament:
    return factories.tournament(
        by=factories.user("organizer"), format="cassino/standard/2v2?deals=1", partners="fixed"
    )


def test_two_authors_form_a_team(client: Client, cup: Tournament) -> None:
    jay, magpie = factories.bot(name="Jay"), factories.bot(name="Magpie")
    factories.house_bot("house:first")
    path = f"/tournaments/{cup.slug}/"

    def entries_page() -> str:
        page = client.get(f"{path}entries/").content.decode()
        read(page)  # well-formed, every control with a label
        return page

    def post(step: str, **data: Any) -> str:
        response = client.post(f"{path}teams/{step}/", data, follow=True)
        assert response.redirect_chain[-1][0] == f"{path}entries/"
        return response.content.decode()

    assert "at least 2" in entries_page()
    assert jay.owner is not None
    assert magpie.owner is not None
    client.force_login(jay.owner)
    page = entries_page()
    assert "Name of the team" in page
    assert "house:first" not in page  # only the organizer chooses house bots
    page_after = post("enter", bots=["jay", "magpie"], name="Two birds")
    assert "Two birds will be entered once the owner of Magpie agrees." in page_after
    assert "invited" in entries_page()
    assert "Choose a bot for each seat." in post("enter", bots=["jay", "egg"])
    client.force_login(magpie.owner)
    account = client.get("/account/").content.decode()
    read(account)
    assert "Invitations to teams" in account
    page = entries_page()
    assert f"{path}teams/agree/" in page
    assert "Decline" in page
    assert "Your bot now plays in Two birds." in post("agree", entry="1")
    assert 'value="agree"' not in entries_page()
    assert "Invitations to teams" not in client.get("/account/").content.decode()
    assert "Two birds has been withdrawn." in post("withdraw", entry="1")
    assert "no longer in the list" in post("agree", entry="1")


def test_an_only_bot_is_no_partner_of_itself(client: Client, cup: Tournament) -> None:
    jay = factories.bot(name="Jay")
    assert jay.owner is not None
    factories.bot(name="Magpie")
    client.force_login(jay.owner)
    choices = client.get(f"/tournaments/{cup.slug}/entries/").context["seats"]
    assert [[bot.name for bot in bots] for bots in choices] == [["Jay"], ["Magpie"]]
    factories.bot(jay.owner, "Kite")
    choices = client.get(f"/tournaments/{cup.slug}/entries/").context["seats"]
    assert [bot.name for bot in choices[1]] == ["Jay", "Kite", "Magpie"]


def test_a_bot_that_has_entered_is_no_partner(client: Client, cup: Tournament) -> None:
    jay, magpie, rook = (factories.bot(name=name) for name in ("Jay", "Magpie", "Rook"))
    assert jay.owner is not None
    client.force_login(jay.owner)
    path = f"/tournaments/{cup.slug}/entries/"
    entry = actions.enter_team(cup, [magpie, rook], magpie.owner)
    choices = client.get(path).context["seats"]
    assert [bot.name for bot in choices[1]] == ["Rook"]  # its owner has not agreed
    actions.agree(entry, rook.owner)
    response = client.get(path)
    assert response.context["seats"][1] == []
    read(page := response.content.decode())
    assert "No other bot can play in a team with yours now." in page
    assert "Enter the team" not in page


def test_teams_are_shown_by_name_and_members(client: Client, cup: Tournament) -> None:
    names = ("Jay", "Magpie", "Rook", "Crow")
    bots = [factories.bot(name=name) for name in names]
    actions.enter_team(cup, bots[:2], None, "Two birds")
    actions.enter_team(cup, bots[2:], None)
    factories.finish_all(actions.start(cup, None))
    path = f"/tournaments/{cup.slug}/"
    for tab in ("standings/", "entries/"):
        page = client.get(f"{path}{tab}").content.decode()
        read(page)
        assert all(name in page for name in ("Two birds", *names))
    page = client.get(f"{path}crosstable/").content.decode()
    assert "Two birds" in page
    assert "Rook &amp; Crow" in page
    for path in ("/matches/", f"/matches/{cup.matches.earliest('pk').pk}/"):
        page = client.get(path).content.decode()
        read(page)
        assert all(name in page for name in ("Two birds", *names))


def test_a_team_joins_a_running_ladder(client: Client) -> None:
    ladder = factories.tournament(
        by=factories.user("organizer"),
        format="cassino/standard/2v2?deals=1",
        partners="fixed",
        stages=[{"system": "ladder", "groups": 1}],
    )
    for _ in range(2):
        actions.enter_team(ladder, [factories.bot(), factories.bot()], None)
    actions.start(ladder, None)
    jay, magpie = factories.bot(name="Jay"), factories.bot(name="Magpie")
    path = f"/tournaments/{ladder.slug}/"
    assert jay.owner is not None
    assert magpie.owner is not None
    client.force_login(jay.owner)
    page = client.get(f"{path}entries/").content.decode()
    read(page)
    assert "Teams can enter and leave while the ladder runs." in page
    assert "The team cannot play until then." in page
    data = {"bots": ["jay", "magpie"], "name": "Two birds"}
    page_after = client.post(f"{path}teams/enter/", data, follow=True).content.decode()
    assert "Two birds will be entered once the owner of Magpie agrees." in page_after
    client.force_login(magpie.owner)
    assert "Invitations to teams" in client.get("/account/").content.decode()
    assert f"{path}teams/agree/" in client.get(f"{path}entries/").content.decode()
    agreed = client.post(f"{path}teams/agree/", {"entry": "3"}, follow=True)
    assert "Your bot now plays in Two birds." in agreed.content.decode()
    response = client.post(f"{path}teams/withdraw/", {"entry": "3"}, follow=True)
    assert '<span class="chip">withdrawn</span>' in response.content.decode()
