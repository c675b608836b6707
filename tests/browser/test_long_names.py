"""Pages fit phones although all names are as long as possible, without spaces."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from playwright.sync_api import expect

from bots.models import Bot
from cardroom_tables.models import TableSeat
from tests import factories
from tests.browser.conftest import OpenTab, Tab
from tests.browser.prepared_tables import new_table, open_table
from tests.browser.test_pages import OVERFLOW, complete_world, sign_in
from tests.pages import finished
from tests.pages.conftest import World
from tests.snapshots import Snapshot
from tournaments import actions, projections
from tournaments.models import Announcement, Challenge, Entry, Match, Tournament
from tournaments.reading import content_cache, kinds

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MAX_LETTERS = 80
WIDE_TEXT = "\n\n".join(
    [
        "W" * 200,
        f"[W](https://{'w' * 60}.example) https://{'w' * 60}.example/{'w' * 99}",
        f"`{'W' * 99}`",
        f"```\n{'W' * 99}\n```",
        f"{'|W' * 40}|\n{'|-' * 40}|\n{'|WWWW' * 40}|",
        f"{'> ' * 18}{'W' * 40}",
        f"{'- ' * 18}{'W' * 40}",
        f"# {'W' * 99}",
    ]
)
"""Markdown with everything that may be wider than a phone."""
ADDRESSES = (
    "/",
    "/bots/",
    "/bots/magpie/",
    "/bots/magpie/versions/1/",
    "/bots/magpie/versions/2/",
    "/tournaments/",
    "/tournaments/?state=playing",
    "/tournaments/autumn-cup/",
    "/tournaments/autumn-cup/standings/",
    "/tournaments/autumn-cup/crosstable/",
    "/tournaments/autumn-cup/luck/",
    "/tournaments/autumn-cup/exports/",
    "/tournaments/autumn-cup/conditions/",
    "/tournaments/winter-cup/",
    "/tournaments/winter-cup/matches/",
    "/tournaments/spring-cup/",
    "/tournaments/summer-cup/",
    "/tournaments/summer-cup/edit/",
    "/tournaments/spring-cup/entries/",
    "/tournaments/pairs/",
    "/tournaments/pairs/entries/",
    "/tournaments/cup/",
    "/tournaments/cup/bracket/",
    "/matches/",
    "/matches/?bot=magpie&against=nagi",
    "/matches/?tournament=autumn-cup",
    "/matches/?state=all",
    "/matches/MATCH/",
    "/matches/MATCH/transcript/",
    "/matches/MATCH/positions/3/",
    "/embed/matches/MATCH/",
    "/matches/WAITING/",
    "/challenges/CHALLENGE/",
    "/challenges/new/",
    "/search/?q=w",
    "/ratings/",
    "/ratings/head-to-head/?a=magpie&b=nagi",
    "/account/",
    "/upload/",
    "/bots/magpie/upload/",
    "/status/",
    "/play/",
)


def world_with_long_names() -> World:
    """The `complete_world` with teams, a bracket and a challenge; all names have maximal length."""
    world = complete_world()
    bots = [
        world.magpie,
        world.jay,
        world.house,
        factories.bot(world.owner, "Rook"),
    ]
    rook_owner = bots[3].owner
    pairs = factories.tournament(
        format="cassino/standard/2v2?deals=1", partners="fixed", name="Pairs", rated=False
    )
    actions.enter_team(pairs, bots[:2], None)
    actions.enter_team(pairs, bots[2:], None)
    stages = [{"system": "knock-out", "groups": 1}]
    cup = factories.tournament(bots, name="Cup", stages=stages, start=True)
    factories.finish_all(cup)
    assert world.magpie.active_version is not None
    assert world.house.active_version is not None
    actions.start_challenge(world.magpie.active_version, world.house.active_version, rook_owner)
    projections.refresh()
    content_cache.recompute_all(kinds.KINDS)
    User.objects.filter(pk=world.owner.pk).update(is_staff=True)  # sees drafts, too
    Tournament.objects.update(description=WIDE_TEXT)
    Bot.objects.update(description="W" * 200)
    Announcement.objects.create(tournament=world.running, text=WIDE_TEXT)
    for model, field in ((Bot, "name"), (Tournament, "name"), (Entry, "name"), (User, "username")):
        column = model._meta.get_field(field)
        assert isinstance(column, CharField)
        length = min(MAX_LETTERS, column.max_length or MAX_LETTERS)
        rows = model.objects.exclude(**{field: ""})
        number = Cast("pk", CharField())
        rows.update(**{field: Concat(Value("W" * (length - 6)), number)})
    return world


_worlds = Snapshot(world_with_long_names)


@pytest.fixture
def world(transactional_db: None) -> World:
    """The world with long names."""
    world = _worlds()
    world.owner.refresh_from_db()
    return world


@pytest.mark.parametrize("width", [320, 390])
def test_no_page_is_wider_than_a_phone(
    world: World, open_tab: OpenTab, live_server: Any, settings: Any, width: int
) -> None:
    settings.WORKERS_ELSEWHERE = True
    page = open_tab({"width": width, "height": 700}).page
    sign_in(page, live_server.url, world.owner)
    keys = {
        "MATCH": Match.objects.filter(tournament=world.finished).earliest("pk").pk,
        "WAITING": Match.objects.filter(tournament=world.running).latest("pk").pk,
        "CHALLENGE": Challenge.objects.earliest("pk").pk,
    }
    wide = {}
    for address in (*ADDRESSES, f"/authors/{world.owner.username}/"):
        for placeholder, key in keys.items():
            address = address.replace(placeholder, str(key))
        response = page.goto(f"{live_server.url}{address}")
        assert response is not None
        assert response.status == 200, address
        if address.startswith("/matches/"):
            page.wait_for_load_state("networkidle")
        if overflow := page.evaluate(OVERFLOW):
            wide[address] = overflow[:4]
    assert wide == {}


IS_CUT = "one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 4"


@pytest.mark.parametrize("width", [320, 390, 1024])
def test_the_title_of_a_replay_names_all_bots_in_full(
    live_server: Any, tab: Tab, width: int
) -> None:
    match = finished.match(finished.play("cassino/standard/2v2?deals=1"))
    Bot.objects.update(name=Concat(Value("Long Winded Bot of the North "), Cast("pk", CharField())))
    page = tab.page
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    page.locator("[data-replay].ready").wait_for()
    assert not any(team.evaluate(IS_CUT) for team in page.locator("h1 .team").all())
    plates = page.locator(".plate .name").all()
    assert not any(name.evaluate(IS_CUT) for name in plates)
    assert {name.get_attribute("title") for name in plates} == set(
        Bot.objects.values_list("name", flat=True)
    )
    assert not page.evaluate(OVERFLOW)
    expect(page.locator("[data-do=on]")).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("width", [390, 1024])
@pytest.mark.usefixtures("quick_bots")
def test_the_plates_of_a_table_name_people_in_full(
    live_server: Any, open_tab: OpenTab, width: int
) -> None:
    page = open_tab({"width": width, "height": 844}).page
    key = new_table(page, live_server.url, "cassino/standard/2v2")
    others = TableSeat.objects.filter(table__key=key).exclude(index=0)
    others.update(
        kind="person", handle=Concat(Value("Bernhard-Alexander v. D"), Cast("index", CharField()))
    )
    open_table(page, live_server.url, key)
    plates = page.locator(".f-others .plate .name")
    assert plates.count() == 3
    assert not any(name.evaluate(IS_CUT) for name in plates.all())
    assert plates.first.get_attribute("title") == others.order_by("index")[0].handle
