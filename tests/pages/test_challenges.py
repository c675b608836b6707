"""Challenges on pages: from a bot's page to a result."""

from __future__ import annotations

import re

from django.test import Client

from bots.models import BotVersion
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments.models import Challenge


def test_a_bot_is_challenged_watched_and_the_result_read(client: Client, world: World) -> None:
    client.force_login(world.owner)
    page = client.get(f"/challenges/new/?against={world.jay.slug}").content.decode()
    read(page)
    jay, magpie = world.jay.active_version_id, world.magpie.active_version_id
    assert f'<option value="{jay}" selected>' in page
    sent = {"bot": magpie, "against": jay, "format": "cassino/standard/1v1", "groups": 2}
    page = client.post("/challenges/new/", sent, follow=True).content.decode()
    read(page)
    assert "No deal group is over yet." in page
    made = Challenge.objects.get()
    at = f"/challenges/{made.pk}/"
    live = client.get(at, headers={"HX-Request": "true"})
    assert b"<html" not in live.content
    seen = flat(live.content.decode()).split("?seen=")[1].split('"')[0]
    again = client.get(f"{at}?seen={seen}", headers={"HX-Request": "true"})
    assert again.status_code == 204
    factories.finish_all(made.tournament)
    page = Client().get(at).content.decode()
    read(page)
    assert "hx-get" not in page.split('id="challenge"')[1].split(">")[0]
    assert "2 deal groups cannot show which bot is better" in flat(page)
    for match in made.tournament.matches.all():
        assert f"/matches/{match.pk}/" in page
    assert Client().get(f"/matches/{match.pk}/").status_code == 200


def test_versions_of_one_bot_in_two_clicks(client: Client, world: World) -> None:
    factories.version(world.magpie)
    client.force_login(world.owner)
    page = client.get("/bots/magpie/").content.decode()
    assert "v2 against v1" in flat(page)
    second = world.magpie.versions.get(number=2).pk
    sent = {"bot": second, "against": world.magpie.active_version_id, "groups": 10}
    page = client.post("/challenges/new/", sent, follow=True).content.decode()
    assert "only you see this" in page
    made = Challenge.objects.get()
    assert Client().get(f"/challenges/{made.pk}/").status_code == 404
    page = client.post(f"/challenges/{made.pk}/stop/", follow=True).content.decode()
    assert "The challenge has ended" in page
    at = f'href="/challenges/{made.pk}/"'
    assert at in client.get("/challenges/new/").content.decode()
    client.force_login(world.organizer)
    assert at not in client.get("/challenges/new/").content.decode()


def test_the_form_says_what_is_refused(client: Client, world: World) -> None:
    client.force_login(world.owner)
    own = world.magpie.active_version_id
    page = client.post("/challenges/new/", {"bot": own, "against": own, "groups": 2})
    read(page.content.decode())
    assert "cannot challenge itself" in flat(page.content.decode())
    stranger = factories.user("stranger")
    client.force_login(stranger)
    assert "You have no bot yet" in client.get("/challenges/new/").content.decode()


def test_an_author_says_no(client: Client, world: World) -> None:
    assert "Challenge it" in client.get("/bots/magpie/").content.decode()
    client.force_login(world.owner)
    page = client.post("/bots/magpie/challenges/", {"agreed": ""}, follow=True).content.decode()
    assert "Other authors’ bots cannot challenge it." in flat(page)
    assert "Challenge it" not in Client().get("/bots/magpie/").content.decode()


def _offered(page: str) -> list[str]:
    """The formats that the form offers."""
    options = re.search(r'<select name="format".*?</select>', page, re.DOTALL)
    assert options is not None
    return re.findall(r'value="(\w[^"]*)"', options[0])


def test_only_formats_that_both_bots_play_are_offered(client: Client, world: World) -> None:
    """Whether or not the address names a bot, and after another one is chosen."""
    client.force_login(world.owner)
    house = factories.house_bot("house:canasta-only")
    BotVersion.objects.filter(bot=house).update(formats=["canasta/*/*", "cassino/royal/*"])
    house.refresh_from_db()
    everything = _offered(client.get("/challenges/new/?against=house:random").content.decode())
    assert everything, "Magpie plays Cassino"
    assert all(each.startswith("cassino/") for each in everything)
    own, other = world.magpie.active_version_id, house.active_version_id
    chosen = {"by": "version", "bot": str(own), "against": str(other)}
    both = _offered(client.get("/challenges/new/", chosen).content.decode())
    assert both
    assert all(each.startswith("cassino/royal/") for each in both)
    unnamed = _offered(client.get("/challenges/new/").content.decode())
    assert all(each.startswith("cassino/") for each in unnamed)


def test_a_version_of_somebody_else_is_not_chosen_by_the_address(
    client: Client, world: World
) -> None:
    client.force_login(world.owner)
    asked = {"by": "version", "bot": str(world.jay.active_version_id)}
    assert client.get("/challenges/new/", asked).status_code == 403
