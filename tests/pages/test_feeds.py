"""Atom feeds: their entries, and that hidden objects have none."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from tests import factories
from tests.chosen_winners import win
from tests.pages.conftest import World
from tournaments import actions, projections
from tournaments.reading import content_cache, kinds

ATOM = "{http://www.w3.org/2005/Atom}"


def entries(client: Client, address: str) -> list[tuple[str, str]]:
    """Title and link of each entry."""
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/atom+xml")
    assert "max-age=300" in response["Cache-Control"]
    tree = ET.fromstring(response.content)
    elements = tree.findall(f"{ATOM}entry")
    keys = [element.findtext(f"{ATOM}id") for element in elements]
    assert len(keys) == len(set(keys))
    return [
        (element.findtext(f"{ATOM}title") or "", element.find(f"{ATOM}link").attrib["href"])  # type: ignore[union-attr]
        for element in elements
    ]


def test_results_of_a_bot_and_of_a_tournament(client: Client, world: World) -> None:
    bot = entries(client, "/bots/magpie/feed/")
    cup = entries(client, "/tournaments/autumn-cup/feed/")
    assert len(bot) == 4
    assert len(cup) == 6
    assert set(bot) < set(cup)
    title, link = bot[0]
    assert "Magpie " in title
    assert "/matches/" in link
    assert client.get(link.partition("testserver")[2]).status_code == 200


def test_the_sites_feed_names_winners(client: Client, world: World) -> None:
    projections.refresh()
    content_cache.recompute_all(kinds.KINDS)
    titles = [title for title, _ in entries(client, "/feed/")]
    assert any(title.startswith("Autumn Cup: ") for title in titles)
    assert "Winter Cup: started" in titles
    assert "Spring Cup: opened" in titles
    assert not any("Summer Cup" in title for title in titles)  # a draft


def test_page_heads_link_to_feeds(client: Client, world: World) -> None:
    for page, feed in (
        ("/", "/feed/"),
        ("/bots/magpie/", "/bots/magpie/feed/"),
        ("/tournaments/autumn-cup/", "/tournaments/autumn-cup/feed/"),
    ):
        content = client.get(page).content.decode()
        assert 'type="application/atom+xml"' in content
        assert f'href="{feed}"' in content
    client.force_login(world.organizer)
    assert "summer-cup/feed/" not in client.get("/tournaments/summer-cup/").content.decode()


def test_a_match_appears_when_its_deal_group_is_over(client: Client, world: World) -> None:
    before = len(entries(client, "/tournaments/winter-cup/feed/"))
    attempts = actions.claim("test/1", 2)
    assert len({attempt.match.deal_group_id for attempt in attempts}) == 1
    names = ("Magpie", "凪 Nagi", "house:random")
    win(attempts[0].match, attempts[0].pk, names)
    assert len(entries(client, "/tournaments/winter-cup/feed/")) == before
    win(attempts[1].match, attempts[1].pk, names)
    assert len(entries(client, "/tournaments/winter-cup/feed/")) == before + 2


@pytest.mark.parametrize("reader", ["nobody", "owner", "staff"])
def test_trials_and_drafts_have_no_feed(client: Client, world: World, reader: str) -> None:
    version = factories.version(world.magpie)
    trial = actions.start_trial(version, world.owner, format_text=factories.FORMAT)
    if reader == "owner":
        client.force_login(world.owner)
    if reader == "staff":
        client.force_login(factories.user("staff", staff=True))
    for slug in (trial.tournament.slug, world.draft.slug, "nothing"):
        assert client.get(f"/tournaments/{slug}/feed/").status_code == 404
    assert client.get("/bots/nobody/feed/").status_code == 404
