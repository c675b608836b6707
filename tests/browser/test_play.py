"""People's tables in a real browser: deals by tapping, by keyboard, with a friend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Locator, Page, expect

from cardroom.play import courses, host
from cardroom.play.actions import tables
from tests.browser.axe import violations
from tests.browser.conftest import Watched
from tests.browser.test_pages import OVER
from tests.play.hall import Bots, finished, play_bots
from tests.thirdparty.test_sixth_game import installed, site

__all__ = ["installed", "site"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GAMES = ("Cassino", "Canasta", "Spoon Eye", "Zwicker", "Paks")
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}
DESK = {"width": 1440, "height": 900}
MOST = 900
"""Steps that a deal takes at most: picks, plays and waits."""
SCROLLS = """() => [document.documentElement.scrollWidth > innerWidth,
  document.documentElement.scrollHeight > innerHeight]"""
STAGE = """() => {
  const has = selector => document.querySelector(selector)
  if (has('[data-do="another"]')) return 'over'
  if (has('[data-do="next"]')) return 'next'
  if (!has('.chip.turn') || !has('.p-bar .acts') || has('[aria-busy]')) return 'wait'
  if (has('[data-do="play"]:not(:disabled)')) return 'play'
  return has('.felt .lit, [data-do="pick"]') ? 'pick' : 'again'
}"""
SMALL = """() => [...document.querySelectorAll('.hand .thing, .p-bar .btn, .p-head .btn')]
  .map(e => [e.getBoundingClientRect(), e.outerHTML.slice(0, 80)])
  .filter(([r]) => r.width && (r.width < 43.5 || r.height < 43.5)).map(([, html]) => html)"""


@pytest.fixture(autouse=True)
def _at_once(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """House bots without processes, which the test itself has play; always the same cards."""
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    courses.forget()
    made = Bots()
    monkeypatch.setattr(host, "sandbox", lambda: made)
    monkeypatch.setattr(tables, "new_seed", lambda: "07" * 16)
    yield
    host.leave()


Opened = Callable[[dict[str, int]], Watched]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Browsers of a size, each with a session of its own; the test fails if one complained."""
    contexts = []
    pages: list[Watched] = []

    def open_(size: dict[str, int]) -> Watched:
        context = browser.new_context(
            viewport=size,  # type: ignore[arg-type]
            has_touch=size["width"] < 1100,
            reduced_motion="reduce",
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        pages.append(Watched(context.new_page()))
        return pages[-1]

    yield open_
    for context in contexts:
        context.close()
    assert [said for page in pages for said in page.complaints] == []


def deal(page: Page, site: str, game: str) -> None:
    """From the page *Play* to the table, without reading anything."""
    page.goto(f"{site}/play/")
    page.locator(".tile", has_text=game).click()
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".play.ready").wait_for()


def stage(page: Page) -> str:
    """What can be done: `over`, `next` deal, `play`, `pick`, `again`; `wait` for bots."""
    return str(page.evaluate(STAGE))


def settled(page: Page) -> bool:
    """Whether something can be done; else the bots play what waits."""
    if stage(page) != "wait":
        return True
    play_bots()
    page.wait_for_timeout(20)
    return False


def one_step(page: Page, rng: Random, press: Callable[[Locator], None]) -> None:
    """Play what is offered, or pick something that is lit."""
    now = stage(page)
    if now == "play":
        number = page.locator(".play").get_attribute("data-n")
        press(page.locator('[data-do="play"]'))
        page.locator(f'.play:not([data-n="{number}"])').wait_for()
    elif now == "pick" and rng.random() < 0.95:
        lit = page.locator('.felt .lit, [data-do="pick"]')
        if count := lit.count():  # none: the page has drawn itself anew
            press(lit.nth(rng.randrange(count)))
    elif page.locator('[data-do="again"]').count():
        press(page.locator('[data-do="again"]'))


def finish(page: Page, press: Callable[[Locator], None]) -> None:
    """Play until the match is over."""
    rng = Random(5)
    for _ in range(MOST):
        match stage(page):
            case "over":
                return
            case "wait":
                play_bots()
                page.wait_for_timeout(20)
            case "next":
                press(page.locator('[data-do="next"]'))
            case _:
                one_step(page, rng, press)
    pytest.fail("The deal does not end.")


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_finished_by_tapping(live_server: Any, opened: Opened, game: str) -> None:
    watched = opened(PHONE)
    page = watched.page
    deal(page, live_server.url, game)
    assert page.evaluate(SCROLLS) == [False, False]
    assert page.evaluate(SMALL) == []
    finish(page, lambda one: one.tap())
    expect(page.locator(".p-bar .say")).to_contain_text("You")
    assert page.evaluate(SCROLLS) == [False, False]


FOCUS = """selector => {
  const found = document.querySelector(selector)
  found?.focus()
  return Boolean(found)
}"""


def one_key(page: Page, rng: Random) -> None:
    """Press what a player without a mouse would: a card's number, or Enter on what has focus.

    The page may draw itself anew at any time, so each step asks and acts at once.
    """
    keys = page.keyboard
    now = stage(page)
    if now == "play":
        if page.evaluate(FOCUS, ".hand .thing"):
            keys.press("Enter")
    elif now == "pick" and not page.locator(".felt .picked").count():
        keys.press(str(rng.randint(1, 4)))
    elif now == "pick" and rng.random() < 0.9 and page.evaluate(FOCUS, '[data-do="pick"]'):
        keys.press("Enter")
    else:
        keys.press("Escape")


def test_a_deal_is_finished_by_keyboard(live_server: Any, opened: Opened) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, "Cassino")
    rng = Random(3)
    for _ in range(MOST):
        if stage(page) == "over":
            break
        if settled(page):
            one_key(page, rng)
    assert stage(page) == "over"


def test_what_cannot_follow_is_dimmed_and_says_why(live_server: Any, opened: Opened) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, "Paks")
    page.locator(".hand .lit").first.click()
    page.locator(".hand .picked").first.wait_for()
    picked = page.locator(".felt .picked").count()
    page.locator(".felt .dim").first.click(force=True)  # it is aria-disabled, yet it answers
    expect(page.locator(".p-why")).to_contain_text("PAK-")
    expect(page.locator(".felt .picked")).to_have_count(picked)
    page.keyboard.press("Escape")
    expect(page.locator(".felt .picked")).to_have_count(0)


def test_two_friends_play_with_two_bots(live_server: Any, opened: Opened) -> None:
    ann, ben = opened(PHONE).page, opened(DESK).page
    ann.goto(f"{live_server.url}/play/")
    ann.locator(".opt3", has_text="Four").click()
    ann.locator(".sc.n label", has_text="A friend").click()
    ann.locator('[name="handle"]').fill("Ann")
    ann.get_by_role("button", name="Deal the cards").click()
    ann.locator(".play.ready").wait_for()
    ben.goto(ann.locator(".p-bar .linkbox input").input_value())
    ben.get_by_label("Your name at the table").fill("Ben")
    ben.get_by_role("button", name="Sit down").click()
    expect(ben.locator(".hand .card")).to_have_count(4)
    rng = Random(1)
    for _ in range(MOST):
        if int(ben.locator(".play").get_attribute("data-n") or 0) > 11:
            break
        for page in (ann, ben):
            if settled(page):
                one_step(page, rng, lambda one: one.click())
    number = int(ben.locator(".play").get_attribute("data-n") or 0)
    assert number > 11
    expect(ann.locator(".f-others")).to_contain_text("Ben")
    held = ben.locator(".hand .card").count()
    ben.reload()
    ben.locator(".play.ready").wait_for()
    assert int(ben.locator(".play").get_attribute("data-n") or 0) >= number
    expect(ben.locator(".hand .card")).to_have_count(held)


def test_a_hint_and_the_list_of_moves(live_server: Any, opened: Opened) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, "Cassino")
    page.locator("summary", has_text="moves you have").click()
    page.locator('[data-do="offer"]').first.click()
    expect(page.locator('[data-do="play"]')).to_be_enabled()
    page.keyboard.press("Escape")
    page.get_by_label("Type a move").fill(
        page.locator(".hand .card").last.get_attribute("data-card") or ""
    )
    page.get_by_role("button", name="Take it").click()
    expect(page.locator('[data-do="play"]')).to_be_enabled()


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (TABLET, "dark"), (DESK, "light")])
def test_pages_of_tables_fit_are_named_and_readable(
    live_server: Any, opened: Opened, size: dict[str, int], scheme: Any
) -> None:
    over = finished()
    watched = opened(size)
    page, site = watched.page, live_server.url
    page.emulate_media(color_scheme=scheme)
    deal(page, site, "Cassino")
    table = page.url
    for address in (
        table,
        f"{site}/play/",
        f"{site}/play/{over.key}/",
        f"{site}/play/{over.key}/comparison/1/",
    ):
        page.goto(address)
        page.wait_for_timeout(100)
        assert page.evaluate(OVER) == [], address
        assert violations(page) == [], address
    page.goto(f"{site}/play/{over.key}/replay/")
    expect(page.locator("[data-replay].ready .lap").first).to_be_visible()
    assert page.evaluate(OVER) == []


@pytest.mark.usefixtures("site")
def test_a_third_partys_game_is_played_from_its_list(live_server: Any, opened: Opened) -> None:
    page = opened(PHONE).page
    deal(page, live_server.url, "Sixth")
    rng = Random(2)
    for _ in range(MOST):
        if int(page.locator(".play").get_attribute("data-n") or 0) > 3:
            break
        if settled(page):
            one_step(page, rng, lambda one: one.tap())
    assert page.locator("[data-part='told'] li").count()
    assert page.evaluate(SCROLLS) == [False, False]
