"""Playing at a table in a browser by tap, click or key.

Nothing waits for a fixed time: the bots play, and the page is polled until it shows their moves.
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
MAX_STEPS = 900
"""Limit of steps in a deal: picks, plays and waits."""
LIT = '.felt .lit, [data-do="pick"], [data-do="do"]'
SCROLLS = """() => [document.documentElement.scrollWidth > innerWidth,
  document.documentElement.scrollHeight > innerHeight]"""
SMALL_CONTROLS = """() => [...document.querySelectorAll('.hand .thing, .p-bar .btn, .p-head .btn')]
  .map(e => [e.getBoundingClientRect(), e.outerHTML.slice(0, 80)])
  .filter(([r]) => r.width && (r.width < 43.5 || r.height < 43.5)).map(([, html]) => html)"""
POSSIBLE_ACTION = """() => {
  const has = selector => document.querySelector(selector)
  if (has('[data-do="another"]')) return 'over'
  if (has('[data-do="next"]')) return 'next'
  if (!has('.chip.turn') || !has('.p-bar .acts') || has('[aria-busy]')) return 'wait'
  if (has('[data-do="play"]:not(:disabled)')) return 'play'
  return has('.felt .lit, [data-do="pick"], [data-do="do"]') ? 'pick' : 'again'
}"""
MOVES_KNOWN = "() => Number(document.querySelector('.play').dataset.n)"
_MOVED_ON = f"number => ({POSSIBLE_ACTION})() !== 'wait' || ({MOVES_KNOWN})() > number"


FAST = "localStorage.setItem('cardroom.play.pace', 'fast')"


def start_table(page: Page, site: str, game: str) -> None:
    """Start a table on the page *Play*, where the moves of others are shown at *fast*."""
    page.add_init_script(FAST)
    page.goto(f"{site}/play/")
    page.locator(".tile", has_text=game).click()
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".play.ready").wait_for()


def possible_action(page: Page) -> str:
    """What the person can do: `over`, `next` deal, `play`, `pick`, `again`; `wait` for others."""
    return str(page.evaluate(POSSIBLE_ACTION))


def moves_known(page: Page) -> int:
    """The number of moves that the page knows."""
    return int(page.evaluate(MOVES_KNOWN))


def await_turn(page: Page) -> str:
    """Have the bots play until the person can act; return the possible action."""
    while (action := possible_action(page)) == "wait":
        known = moves_known(page)
        play_bots()
        page.wait_for_function(_MOVED_ON, arg=known)
    return action


def play_offered(page: Page, press: Callable[[], Any]) -> None:
    """Play the offered move, and wait until the page knows of it."""
    known = moves_known(page)
    press()
    page.wait_for_function(f"before => ({MOVES_KNOWN})() > before", arg=known)


def take_step(page: Page, action: str, rng: Random, press: Callable[[Locator], None]) -> None:
    """Play the offered move, or pick a lit part."""
    if action == "next":
        press(page.locator('[data-do="next"]'))
    elif action == "play":
        play_offered(page, lambda: press(page.locator('[data-do="play"]')))
    elif action == "pick" and rng.random() < 0.95:
        if count := page.locator(LIT).count():  # none: the page has redrawn itself
            press(page.locator(LIT).nth(rng.randrange(count)))
    elif page.locator('[data-do="again"]').count():
        press(page.locator('[data-do="again"]'))


def finish_match(page: Page, step: Callable[[str], None]) -> None:
    """Take steps, each with the possible action, until the match is over."""
    for _ in range(MAX_STEPS):
        action = await_turn(page)
        if action == "over":
            return
        step(action)
    pytest.fail("The deal does not end.")


def click_in_turns(pages: Sequence[Page], until: int) -> None:
    """Take steps with clicks on every page that can act, until all pages know `until` moves."""
    rng = Random(1)
    for _ in range(MAX_STEPS):
        if min(map(moves_known, pages)) >= until:
            return
        ready = [
            (page, action)
            for page in pages
            if (action := possible_action(page)) not in ("wait", "over")
        ]
        for page, action in ready:
            take_step(page, action, rng, lambda one: one.click())
        if not ready and not play_bots():
            pages[0].wait_for_timeout(20)  # until a page has polled
    pytest.fail("No page can act, and no bot moves.")
