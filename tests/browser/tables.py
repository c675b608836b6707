"""Playing at a table in a browser: what can be done, and doing it by tap, click or key.

Nothing here waits for a time: the bots play what waits, and the page is asked until it shows that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests.play.hall import play_bots

GAMES = ("Cassino", "Canasta", "Spoon Eye", "Zwicker", "Paks")
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}
DESK = {"width": 1440, "height": 900}
MOST = 900
"""Steps that a deal takes at most: picks, plays and waits."""
LIT = '.felt .lit, [data-do="pick"], [data-do="do"]'
SCROLLS = """() => [document.documentElement.scrollWidth > innerWidth,
  document.documentElement.scrollHeight > innerHeight]"""
SMALL = """() => [...document.querySelectorAll('.hand .thing, .p-bar .btn, .p-head .btn')]
  .map(e => [e.getBoundingClientRect(), e.outerHTML.slice(0, 80)])
  .filter(([r]) => r.width && (r.width < 43.5 || r.height < 43.5)).map(([, html]) => html)"""
STAGE = """() => {
  const has = selector => document.querySelector(selector)
  if (has('[data-do="another"]')) return 'over'
  if (has('[data-do="next"]')) return 'next'
  if (!has('.chip.turn') || !has('.p-bar .acts') || has('[aria-busy]')) return 'wait'
  if (has('[data-do="play"]:not(:disabled)')) return 'play'
  return has('.felt .lit, [data-do="pick"], [data-do="do"]') ? 'pick' : 'again'
}"""
NUMBER = "() => Number(document.querySelector('.play').dataset.n)"
_MOVED_ON = f"number => ({STAGE})() !== 'wait' || ({NUMBER})() > number"


FAST = "localStorage.setItem('cardroom.play.pace', 'fast')"


def deal(page: Page, site: str, game: str) -> None:
    """From the page *Play* to the table, without reading anything; moves of others go at *fast*."""
    page.add_init_script(FAST)
    page.goto(f"{site}/play/")
    page.locator(".tile", has_text=game).click()
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".play.ready").wait_for()


def stage(page: Page) -> str:
    """What can be done: `over`, `next` deal, `play`, `pick`, `again`; `wait` for others."""
    return str(page.evaluate(STAGE))


def number(page: Page) -> int:
    """How many moves the page has heard of."""
    return int(page.evaluate(NUMBER))


def attend(page: Page) -> str:
    """Have the bots play until something can be done; what can be."""
    while (now := stage(page)) == "wait":
        before = number(page)
        play_bots()
        page.wait_for_function(_MOVED_ON, arg=before)
    return now


def play(page: Page, press: Callable[[], Any]) -> None:
    """Play what is offered; the page has heard of the move when this returns."""
    before = number(page)
    press()
    page.wait_for_function(f"before => ({NUMBER})() > before", arg=before)


def one_step(page: Page, now: str, rng: Random, press: Callable[[Locator], None]) -> None:
    """Play what is offered, or pick something that is lit."""
    if now == "next":
        press(page.locator('[data-do="next"]'))
    elif now == "play":
        play(page, lambda: press(page.locator('[data-do="play"]')))
    elif now == "pick" and rng.random() < 0.95:
        if count := page.locator(LIT).count():  # none: the page has drawn itself anew
            press(page.locator(LIT).nth(rng.randrange(count)))
    elif page.locator('[data-do="again"]').count():
        press(page.locator('[data-do="again"]'))


def finish(page: Page, step: Callable[[str], None]) -> None:
    """Take one step after another, each told what can be done, until the match is over."""
    for _ in range(MOST):
        now = attend(page)
        if now == "over":
            return
        step(now)
    pytest.fail("The deal does not end.")


def in_turns(pages: Sequence[Page], until: int) -> None:
    """Whoever can do something does it with clicks, until all have heard of so many moves."""
    rng = Random(1)
    for _ in range(MOST):
        if min(map(number, pages)) >= until:
            return
        able = [(page, now) for page in pages if (now := stage(page)) not in ("wait", "over")]
        for page, now in able:
            one_step(page, now, rng, lambda one: one.click())
        if not able and not play_bots():
            pages[0].wait_for_timeout(20)  # until somebody's page has asked
    pytest.fail("The table stands still.")
