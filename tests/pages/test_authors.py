"""Authors' pages, which show the same public data to all."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.chosen_winners import play_out
from tests.pages.conftest import World
from tests.pages.markup import flat
from tournaments import actions, projections
from tournaments.projections import tallies
from tournaments.reading import content_cache, kinds


def page_of(client: Client, name: str) -> str:
    return flat(client.get(reverse("author", args=[name])).content.decode())


def test_an_authors_page_lists_bots_with_results(client: Client, world: World) -> None:
    tallies.count_new()
    page = page_of(client, "owner")
    assert ">Magpie</a>" in page
    assert "of 4 </td>" in page.replace("</td>", " </td>").replace("  ", " ")
    assert "Cassino for two" in page
    assert "Best match" in page
    assert client.get("/authors/owner/preview.png")["Content-Type"] == "image/png"


def test_names_link_to_the_authors_page(client: Client, world: World) -> None:
    link = 'href="/authors/owner/"'
    for address in ("/bots/", "/bots/magpie/", "/tournaments/autumn-cup/entries/"):
        assert link in client.get(address).content.decode(), address
    organizer = 'href="/authors/organizer/"'
    assert organizer in client.get("/tournaments/autumn-cup/").content.decode()
    assert "凪 Nagi" in page_of(client, "さくら")


def test_an_organizers_page_lists_tournaments_but_no_drafts(client: Client, world: World) -> None:
    for reader in (None, world.organizer):
        if reader:
            client.force_login(reader)
        page = page_of(client, "organizer")
        assert "Autumn Cup" in page
        assert "Summer Cup" not in page


def test_the_page_lists_titles(client: Client, world: World) -> None:
    cup = factories.tournament([world.magpie, world.jay], name="Title Cup", start=True)
    play_out(cup, ("Magpie", "凪 Nagi", "house:random"))
    projections.refresh()
    content_cache.recompute_all(kinds.KINDS)
    assert "Title Cup" in page_of(client, "owner")
    assert "Titles" not in page_of(client, "さくら")


def test_accounts_without_public_data_or_inactive_have_no_page(
    client: Client, world: World
) -> None:
    user = factories.user("somebody")
    address = "/authors/somebody/"
    assert client.get(address).status_code == 404
    actions.create_tournament(user, name="A draft", format=factories.FORMAT)
    client.force_login(user)
    assert client.get(address).status_code == 404
    assert client.get("/authors/nobody-at-all/").status_code == 404
    world.owner.is_active = False
    world.owner.save()
    assert client.get("/authors/owner/").status_code == 404
    assert client.get("/authors/owner/preview.png").status_code == 404
    page = client.get("/bots/magpie/").content.decode()
    assert "/authors/owner/" not in page
    assert "owner" in page


@pytest.mark.parametrize("name", ["a/b", "50%", "what?", "c#", "さくら 2", "preview.png"])
def test_every_name_has_an_address(client: Client, world: World, name: str) -> None:
    bot = factories.bot(factories.user(name), "Owl")
    assert bot.owner is not None
    page = client.get(reverse("author", args=[name]))
    assert page.status_code == 200
    assert b"Owl" in page.content
    assert reverse("author", args=[name]) in client.get("/bots/owl/").content.decode()
