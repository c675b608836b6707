"""The pages in a real browser: sign-up, upload, browsing, at each width and in the dark theme."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from bots import tasks
from bots.models import Bot, BotVersion
from bots.sandbox import detect
from tests import factories
from tests.browser.axe import violations
from tests.browser.conftest import OpenTab, Tab
from tests.browser.tables import DESK
from tests.pages.conftest import World, reject, stuck
from tests.snapshots import Snapshot
from tournaments import actions
from tournaments.models import Challenge
from tournaments.projections import tallies
from tournaments.reading import content_cache, kinds

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESSES = (
    "/",
    "/signup/",
    "/login/",
    "/games/",
    "/games/cassino/",
    "/games/cassino/rules/",
    "/bots/",
    "/bots/magpie/",
    "/bots/magpie/versions/1/",
    "/bots/magpie/versions/2/",
    "/tournaments/",
    "/tournaments/autumn-cup/",
    "/tournaments/autumn-cup/standings/",
    "/tournaments/autumn-cup/crosstable/",
    "/tournaments/winter-cup/",
    "/tournaments/winter-cup/matches/",
    "/tournaments/spring-cup/",
    "/tournaments/spring-cup/conditions/",
    "/matches/",
    "/authors/owner/",
    "/search/?q=cassino",
    "/ratings/",
    "/ratings/head-to-head/?a=magpie&b=nagi",
    "/ratings/how-to-read/",
    "/status/",
)
OWN = (
    "/account/",
    "/account/webhooks/",
    "/upload/",
    "/bots/magpie/",
    "/bots/magpie/upload/",
    "/challenges/new/",
    "/tournaments/new/",
    "/bots/magpie/versions/2/",
    "/tournaments/summer-cup/",
    "/tournaments/spring-cup/entries/",
    "/tournaments/winter-cup/",
)
# Elements beyond the right edge that are not inside a scrolling element.
OVERFLOW = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .filter(e => !e.closest('.scroll, .nav, .tabs, .log, pre'))
    .map(e => `${e.tagName}.${e.className}`)"""
# Panels that touch, headings that skip a level, scrolling parts without keyboard access, cut tabs.
LAYOUT_FAULTS = """() => {
  const all = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility())
  const box = e => e.getBoundingClientRect()
  const panels = all('main .panel').filter(e => !e.parentElement.closest('.panel'))
  const glued = panels.filter((e, i) => i && box(panels[i - 1]).left === box(e).left
    && Math.abs(box(e).top - box(panels[i - 1]).bottom) < 4)
  const heads = all('main :is(h1, h2, h3, h4, h5)')
  const jumps = heads.filter((e, i) => i && e.tagName[1] > Number(heads[i - 1].tagName[1]) + 1)
  const stuck = all('main :is(pre, div, ul, ol, table)').filter(e =>
    e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)
    && e.tabIndex < 0 && !e.querySelector('a, button, input, select, [tabindex]'))
  const hidden = all('.tabs').filter(e => e.scrollWidth > e.clientWidth + 1)
  return [glued, jumps, stuck, hidden].flatMap((found, i) =>
    found.map(e => `${['glued', 'jump', 'stuck', 'hidden'][i]} ${e.outerHTML.slice(0, 120)}`))
}"""

WIDTH_OF_NUMBERS = "document.querySelector('tbody th.n').getBoundingClientRect().width"
# The vertical distance between the centres of the footer's parts, in pixels.
FOOTER_SPREAD = """() => {
  const middles = [...document.querySelectorAll('.foot > div > *')].map(e => {
    const { top, bottom } = e.getBoundingClientRect()
    return (top + bottom) / 2
  })
  return Math.max(...middles) - Math.min(...middles)
}"""


@pytest.fixture(autouse=True)
def _no_sandbox(settings: Any) -> None:
    settings.WORKERS_ELSEWHERE = True


def complete_world() -> World:
    """The small world with a rejected version, a stuck match, statistics and cached content."""
    world = World()
    reject(world.magpie, "Your bot crashed at the start. Look at line 3.")
    stuck(world.running)
    tallies.count_new()
    content_cache.recompute_all(kinds.KINDS)
    return world


_worlds = Snapshot(complete_world)


@pytest.fixture
def world(transactional_db: None) -> World:
    """The `complete_world`."""
    return _worlds()


def sign_in(page: Page, site: str, user: User) -> None:
    """Log in by the form."""
    page.goto(f"{site}/login/")
    page.get_by_label("User name").fill(user.username)
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Log in", exact=True).click()
    menu = page.locator("summary", has_text="Menu")
    if menu.is_visible():  # on narrow screens the account is in the menu
        menu.click()
    bar = page.get_by_role("banner")
    expect(bar.get_by_role("link", name=user.username).locator("visible=true")).to_be_visible()


@pytest.fixture(params=[(1280, "light"), (375, "dark")], ids=["desk", "phone"])
def themed_tab(request: Any, open_tab: OpenTab) -> Tab:
    """A wide tab in the light theme and a narrow one in the dark theme."""
    width, scheme = request.param
    return open_tab({"width": width, "height": 800}, color_scheme=scheme, has_touch=False)


def examine(tab: Tab, site: str, address: str) -> None:
    """Open a page and check its layout and accessibility."""
    response = tab.page.goto(site + address)
    assert response is not None
    assert response.status == 200, address
    assert tab.page.evaluate(OVERFLOW) == [], address
    assert violations(tab.page) == [], address
    assert tab.page.evaluate(LAYOUT_FAULTS) == [], address
    assert tab.complaints == [], address


def test_every_page_fits_and_is_accessible(live_server: Any, world: World, themed_tab: Tab) -> None:
    for address in ADDRESSES:
        examine(themed_tab, live_server.url, address)
    sign_in(themed_tab.page, live_server.url, world.owner)
    for address in OWN[:7]:
        examine(themed_tab, live_server.url, address)


def test_a_tournaments_overview_in_the_dark(
    live_server: Any, world: World, open_tab: OpenTab
) -> None:
    tab = open_tab({"width": 1440, "height": 900}, color_scheme="dark")
    for slug in ("autumn-cup", "winter-cup", "spring-cup"):
        examine(tab, live_server.url, f"/tournaments/{slug}/")


def test_an_organizers_pages(live_server: Any, world: World, themed_tab: Tab) -> None:
    sign_in(themed_tab.page, live_server.url, world.organizer)
    for address in OWN[7:]:
        examine(themed_tab, live_server.url, address)


def test_pages_work_without_scripts(live_server: Any, world: World, open_tab: OpenTab) -> None:
    page = open_tab(DESK, java_script_enabled=False).page
    page.goto(f"{live_server.url}/ratings/")
    page.get_by_role("link", name="All versions").click()
    expect(page.get_by_role("link", name="All versions")).to_have_attribute("aria-current", "true")
    page.goto(f"{live_server.url}/ratings/?pool=overall")
    expect(page.get_by_text("All games", exact=True)).to_be_visible()
    page.locator("summary", has_text="Appearance").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    sign_in(page, live_server.url, world.owner)
    page.goto(f"{live_server.url}/bots/magpie/versions/2/")
    expect(page.get_by_text("Look at line 3.").first).to_be_visible()


def test_theme_and_suits_by_keyboard(live_server: Any, world: World, tab: Tab) -> None:
    page = tab.page
    page.goto(f"{live_server.url}/games/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.locator("summary", has_text="Appearance").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Four colours")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Four colours")).to_be_hidden()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Four colours").press("Enter")
    expect(page.locator("html")).to_have_attribute("data-suits", "four")
    expect(page).to_have_url(f"{live_server.url}/games/")
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")


def test_an_address_with_a_clause_scrolls_to_it(live_server: Any, world: World, tab: Tab) -> None:
    tab.page.goto(f"{live_server.url}/games/cassino/rules/#CAS-12")
    expect(tab.page.locator("#CAS-12")).to_be_in_viewport()


def test_double_zoom_on_a_small_desk_fits(
    live_server: Any, world: World, open_tab: OpenTab
) -> None:
    page = open_tab({"width": 640, "height": 400}, device_scale_factor=2, has_touch=False).page
    for address in ADDRESSES:
        page.goto(live_server.url + address)
        assert page.evaluate(OVERFLOW) == [], address


def check(version: BotVersion, *, sandboxed: bool = True) -> None:
    """Check a version as a worker does; without a sandbox, store the same result."""
    if sandboxed and detect().level == "full":
        assert tasks.check_version.apply(args=(version.pk,)).get() in {"ready", "rejected"}
        return
    from bots import actions as bot_actions

    job = bot_actions.begin_check(version.pk, "browser test")
    assert job is not None
    step = {"name": "start", "title": "The bot starts", "status": "ok", "seconds": 0.1}
    bot_actions.finish_check(
        job, "ready", steps=[step | {"text": "", "detail": ""}], summary="The bot is ready."
    )


def test_from_sign_up_to_a_running_tournament(live_server: Any, world: World, tab: Tab) -> None:
    page, site = tab.page, live_server.url
    page.goto(site)
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("User name").fill("wren")
    page.get_by_label("Password", exact=True).fill("mossy-nest-3")
    page.get_by_label("Password again").fill("mossy-nest-3")
    page.get_by_role("button", name="Sign up").click()

    expect(page.get_by_role("heading", name="Upload a bot")).to_be_visible()
    package = factories.package("browser", formats=["cassino/standard/1v1"]).to_bytes()
    page.get_by_label("Package").set_input_files(
        {"name": "bot.zip", "mimeType": "application/zip", "buffer": package}
    )
    page.get_by_label("Name").fill("Hedge Sparrow")
    page.get_by_role("button", name="Check and upload").click()
    expect(page.get_by_text("It has been waiting for a worker")).to_be_visible()

    check(BotVersion.objects.get(bot__name="Hedge Sparrow"))
    expect(page.get_by_text("It is the active version.")).to_be_visible()  # without a reload
    page.get_by_role("link", name="Enter a tournament").click()
    page.get_by_role("link", name="Spring Cup", exact=True).click()
    page.get_by_role("button", name="Enter Hedge Sparrow").click()
    expect(page.get_by_text("Hedge Sparrow has been entered.")).to_be_visible()

    actions.start(world.open, None)
    page.goto(f"{site}/tournaments/spring-cup/")
    expect(page.get_by_text("2 waiting")).to_be_visible()
    match = world.open.matches.order_by("pk").last()
    assert match is not None
    factories.finish(match)
    expect(page.get_by_text("1 finished")).to_be_visible()  # without a reload
    page.get_by_role("link", name="Matches").last.click()
    expect(page.get_by_role("link", name=str(match.pk), exact=True)).to_be_visible()
    page.goto(f"{site}/bots/hedge-sparrow/")
    expect(page.get_by_text("yours")).to_be_visible()
    assert Bot.objects.filter(owner__username="wren").count() == 1
    page.get_by_role("link", name="wren").first.click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in")).to_be_visible()


def test_a_bot_written_in_the_page_challenges_another(
    live_server: Any, world: World, tab: Tab
) -> None:
    page = tab.page
    sign_in(page, live_server.url, world.owner)
    page.goto(f"{live_server.url}/upload/")
    page.get_by_label("Name").fill("Owl")
    page.get_by_text("No file yet?").click()
    text = page.get_by_label("The bot, in Python")
    expect(text).to_have_value(re.compile("self.random.choice"))
    text.fill("def choose(view legal): pass")
    page.get_by_role("button", name="this text").click()
    expect(page.get_by_text("1 | def choose(view legal): pass")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Owl")
    text.fill("def choose(view, legal):\n    return legal[0]\n")
    page.get_by_role("button", name="this text").click()
    expect(page.get_by_text("It has been waiting for a worker")).to_be_visible()
    check(BotVersion.objects.get(bot__name="Owl"), sandboxed=False)  # all formats would be slow
    page.get_by_role("link", name="Challenge a bot").click()
    page.get_by_label("Deal groups").fill("1")
    with page.expect_response(lambda response: "by=version" in response.url):
        page.get_by_label("Against").select_option(label="凪 Nagi v1")
    with page.expect_response(lambda response: "by=version" in response.url):
        page.get_by_label("Against").select_option(label="house:random v1")
    expect(page.get_by_label("Deal groups")).to_have_value("1")
    page.get_by_role("button", name="Challenge", exact=True).click()
    expect(page.get_by_text("No deal group is over yet")).to_be_visible()
    factories.finish_all(Challenge.objects.get().tournament)
    expect(page.get_by_text("1 deal group does not show")).to_be_visible()  # without a reload
    expect(page.get_by_role("button", name="End the challenge")).to_have_count(0)
    page.set_viewport_size({"width": 1024, "height": 768})
    assert page.evaluate(WIDTH_OF_NUMBERS) < 90
    assert page.evaluate(FOOTER_SPREAD) < 2


def test_a_refused_upload_keeps_what_was_typed(live_server: Any, world: World, tab: Tab) -> None:
    page = tab.page
    sign_in(page, live_server.url, world.owner)
    page.goto(f"{live_server.url}/upload/")
    page.get_by_label("Name").fill("Magpie")
    page.get_by_label("Package").set_input_files(
        {"name": "bot.py", "mimeType": "text/x-python", "buffer": factories.source("x")}
    )
    page.get_by_role("button", name="Check and upload").click()
    expect(page.get_by_label("Name")).to_have_value("Magpie")
    expect(page.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("There is already a bot called Magpie")).to_be_visible()
