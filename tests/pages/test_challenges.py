"""Challenges on pages, from a bot's page to the result."""

from __future__ import annotations

import re

from django.test import Client

from bots.models import BotVersion
from tests import factories
from tests.pages.conftest import World
from tests.pages.markup import flat
from tests.pages.test_pages import read
from tournaments.models import Challenge


def test_a_challenge_from_the_form_to_its_result(client: Client, world: World) -> None:
    client.force_login(world.owner)
    page = client.get(f"/challenges/new/?against={world.jay.slug}").content.decode()
    read(page)
    jay, magpie = world.jay.active_version_id, world.magpie.active_version_id
    assert f'<option value="{jay}" selected>' in page
    data = {"bot": magpie, "against": jay, "format": "cassino/standard/1v1", "groups": 2}
    page = client.post("/challenges/new/", data, follow=True).content.decode()
    read(page)
    assert "No deal group is over yet." in page
    challenge = Challenge.objects.get()
    address = f"/challenges/{challenge.pk}/"
    live = client.get(address, headers={"HX-Request": "true"})
    assert b"<html" not in live.content
    token = flat(live.content.decode()).split("?seen=")[1].split('"')[0]
    unchanged = client.get(f"{address}?seen={token}", headers={"HX-Request": "true"})
    assert unchanged.status_code == 204
    factories.finish_all(challenge.tournament)
    page = Client().get(address).content.decode()
    read(page)
    assert "hx-get" not in page.split('id="challenge"')[1].split(">")[0]
    assert "2 deal groups do not show which bot is better" in flat(page)
    for match in challenge.tournament.matches.all():
        assert f"/matches/{match.pk}/" in page
    assert Client().get(f"/matches/{match.pk}/").status_code == 200


def test_a_challenge_between_two_versions_of_one_bot(client: Client, world: World) -> None:
    factories.version(world.magpie)
    client.force_login(world.owner)
    page = client.get("/bots/magpie/").content.decode()
    assert "v2 against v1" in flat(page)
    second = world.magpie.versions.get(number=2).pk
    data = {"bot": second, "against": world.magpie.active_version_id, "groups": 10}
    page = client.post("/challenges/new/", data, follow=True).content.decode()
    assert "only you see this" in page
    challenge = Challenge.objects.get()
    assert Client().get(f"/challenges/{challenge.pk}/").status_code == 404
    page = client.post(f"/challenges/{challenge.pk}/stop/", follow=True).content.decode()
    assert "The challenge has ended" in page
    link = f'href="/challenges/{challenge.pk}/"'
    assert link in client.get("/challenges/new/").content.decode()
    client.force_login(world.organizer)
    assert link not in client.get("/challenges/new/").content.decode()


def test_the_form_shows_why_a_challenge_is_refused(client: Client, world: World) -> None:
    client.force_login(world.owner)
    own = world.magpie.active_version_id
    page = client.post("/challenges/new/", {"bot": own, "against": own, "groups": 2})
    read(page.content.decode())
    assert "cannot challenge itself" in flat(page.content.decode())
    stranger = factories.user("stranger")
    client.force_login(stranger)
    assert "You have no bot yet" in client.get("/challenges/new/").content.decode()


def test_an_author_can_refuse_challenges(client: Client, world: World) -> None:
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
    """This holds with and without a bot in the address, and after choosing another bot."""
    client.force_login(world.owner)
    house = factories.house_bot("house:canasta-only")
    BotVersion.objects.filter(bot=house).update(formats=["canasta/*/*", "cassino/royal/*"])
    house.refresh_from_db()
    formats = _offered(client.get("/challenges/new/?against=house:random").content.decode())
    assert formats, "Magpie plays Cassino"
    assert all(path.startswith("cassino/") for path in formats)
    own, other = world.magpie.active_version_id, house.active_version_id
    query = {"by": "version", "bot": str(own), "against": str(other)}
    common = _offered(client.get("/challenges/new/", query).content.decode())
    assert common
    assert all(path.startswith("cassino/royal/") for path in common)
    unnamed = _offered(client.get("/challenges/new/").content.decode())
    assert all(path.startswith("cassino/") for path in unnamed)


def test_the_address_cannot_choose_another_owners_version(client: Client, world: World) -> None:
    client.force_login(world.owner)
    query = {"by": "version", "bot": str(world.jay.active_version_id)}
    assert client.get("/challenges/new/", query).status_code == 403
