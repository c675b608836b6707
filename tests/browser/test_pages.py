"""The pages in a real browser: signing up, uploading, browsing, at every width and in the dark."""

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
from tests.browser.conftest import Opened, Watched
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
# What reaches over the edge although nothing around it scrolls.
OVER = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .filter(e => !e.closest('.scroll, .nav, .tabs, .log, pre'))
    .map(e => `${e.tagName}.${e.className}`)"""
# Panels that touch, headings that skip a level, what scrolls and keys cannot reach, hidden tabs.
ROUGH = """() => {
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
# How far the lines of what the foot holds are apart, in pixels.
MIDDLES_OF_THE_FOOT = """() => {
  const middles = [...document.querySelectorAll('.foot > div > *')].map(e => {
    const { top, bottom } = e.getBoundingClientRect()
    return (top + bottom) / 2
  })
  return Math.max(...middles) - Math.min(...middles)
}"""


@pytest.fixture(autouse=True)
def _no_sandbox_here(settings: Any) -> None:
    settings.WORKERS_ELSEWHERE = True


def full_world() -> World:
    """The small world, with something of everything."""
    made = World()
    reject(made.magpie, "Your bot crashed at the start. Look at line 3.")
    stuck(made.running)
    tallies.count_new()
    content_cache.recompute_all(kinds.KINDS)
    return made


_worlds = Snapshot(full_world)


@pytest.fixture
def world(transactional_db: None) -> World:
    """That world, made by the same actions that the site uses."""
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
def seen(request: Any, opened: Opened) -> Watched:
    """A wide page by day and a narrow one at night."""
    width, scheme = request.param
    return opened({"width": width, "height": 800}, color_scheme=scheme, has_touch=False)


def examine(watched: Watched, site: str, address: str) -> None:
    """Open a page and look it over."""
    answer = watched.page.goto(site + address)
    assert answer is not None
    assert answer.status == 200, address
    assert watched.page.evaluate(OVER) == [], address
    assert violations(watched.page) == [], address
    assert watched.page.evaluate(ROUGH) == [], address
    assert watched.complaints == [], address


def test_every_page_fits_is_named_and_readable(
    live_server: Any, world: World, seen: Watched
) -> None:
    for address in ADDRESSES:
        examine(seen, live_server.url, address)
    sign_in(seen.page, live_server.url, world.owner)
    for address in OWN[:7]:
        examine(seen, live_server.url, address)


def test_a_tournaments_show_in_the_dark(live_server: Any, world: World, opened: Opened) -> None:
    watched = opened({"width": 1440, "height": 900}, color_scheme="dark")
    for slug in ("autumn-cup", "winter-cup", "spring-cup"):
        examine(watched, live_server.url, f"/tournaments/{slug}/")


def test_an_organizers_pages(live_server: Any, world: World, seen: Watched) -> None:
    sign_in(seen.page, live_server.url, world.organizer)
    for address in OWN[7:]:
        examine(seen, live_server.url, address)


def test_pages_without_scripts_are_whole(live_server: Any, world: World, opened: Opened) -> None:
    page = opened(DESK, java_script_enabled=False).page
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


def test_theme_and_suits_by_keyboard(live_server: Any, world: World, watched: Watched) -> None:
    page = watched.page
    page.goto(f"{live_server.url}/games/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
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


def test_a_clauses_address_leads_to_it(live_server: Any, world: World, watched: Watched) -> None:
    watched.page.goto(f"{live_server.url}/games/cassino/rules/#CAS-12")
    expect(watched.page.locator("#CAS-12")).to_be_in_viewport()


def test_double_zoom_on_a_small_desk_fits(live_server: Any, world: World, opened: Opened) -> None:
    page = opened({"width": 640, "height": 400}, device_scale_factor=2, has_touch=False).page
    for address in ADDRESSES:
        page.goto(live_server.url + address)
        assert page.evaluate(OVER) == [], address


def check(version: BotVersion, *, really: bool = True) -> None:
    """Check a version as a worker does, or in the same words where there is no sandbox."""
    if really and detect().level == "full":
        assert tasks.check_version.apply(args=(version.pk,)).get() in {"ready", "rejected"}
        return
    from bots import actions as bot_actions

    held = bot_actions.begin_check(version.pk, "browser test")
    assert held is not None
    step = {"name": "start", "title": "The bot starts", "status": "ok", "seconds": 0.1}
    bot_actions.finish_check(
        held, "ready", steps=[step | {"text": "", "detail": ""}], summary="The bot is ready."
    )


def test_from_sign_up_to_a_running_tournament(
    live_server: Any, world: World, watched: Watched
) -> None:
    page, site = watched.page, live_server.url
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
    expect(page.get_by_text("It waits for a worker")).to_be_visible()

    check(BotVersion.objects.get(bot__name="Hedge Sparrow"))
    expect(page.get_by_text("It is the active version.")).to_be_visible()  # by itself
    page.get_by_role("link", name="Enter a tournament").click()
    page.get_by_role("link", name="Spring Cup", exact=True).click()
    page.get_by_role("button", name="Enter Hedge Sparrow").click()
    expect(page.get_by_text("Hedge Sparrow is entered.")).to_be_visible()

    actions.start(world.open, None)
    page.goto(f"{site}/tournaments/spring-cup/")
    expect(page.get_by_text("2 waiting")).to_be_visible()
    match = world.open.matches.order_by("pk").last()
    assert match is not None
    factories.finish(match)
    expect(page.get_by_text("1 finished")).to_be_visible()  # by itself
    page.get_by_role("link", name="Matches").last.click()
    expect(page.get_by_role("link", name=str(match.pk), exact=True)).to_be_visible()
    page.goto(f"{site}/bots/hedge-sparrow/")
    expect(page.get_by_text("yours")).to_be_visible()
    assert Bot.objects.filter(owner__username="wren").count() == 1
    page.get_by_role("link", name="wren").first.click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in")).to_be_visible()


def test_a_bot_is_written_in_the_page_and_challenges_another(
    live_server: Any, world: World, watched: Watched
) -> None:
    page = watched.page
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
    expect(page.get_by_text("It waits for a worker")).to_be_visible()
    check(BotVersion.objects.get(bot__name="Owl"), really=False)  # of all formats: takes long
    page.get_by_role("link", name="Challenge a bot").click()
    page.get_by_label("Deal groups").fill("1")
    with page.expect_response(lambda answer: "by=version" in answer.url):
        page.get_by_label("Against").select_option(label="凪 Nagi v1")
    with page.expect_response(lambda answer: "by=version" in answer.url):
        page.get_by_label("Against").select_option(label="house:random v1")
    expect(page.get_by_label("Deal groups")).to_have_value("1")
    page.get_by_role("button", name="Challenge", exact=True).click()
    expect(page.get_by_text("No deal group is over yet")).to_be_visible()
    factories.finish_all(Challenge.objects.get().tournament)
    expect(page.get_by_text("1 deal group cannot show")).to_be_visible()  # by itself
    expect(page.get_by_role("button", name="End the challenge")).to_have_count(0)
    page.set_viewport_size({"width": 1024, "height": 768})
    assert page.evaluate(WIDTH_OF_NUMBERS) < 90
    assert page.evaluate(MIDDLES_OF_THE_FOOT) < 2


def test_a_refused_upload_keeps_what_was_typed(
    live_server: Any, world: World, watched: Watched
) -> None:
    page = watched.page
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
