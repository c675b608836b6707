"""Playing by keyboard only, with the focus as the guide."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from playwright.sync_api import Page

from tests.browser.tables import play_offered

MAX_STOPS = 60
"""Limit of presses on the way to an element."""
_FELT = ".felt [data-path]:not(.idle, .hand *)"
_LIT_ON_FELT = ".felt .lit:not(.hand *)"
_CHOICE = '.p-bar :is([data-do="pick"], [data-do="do"])'
_IS_AT = "selector => Boolean(document.activeElement?.matches(selector))"
_IS_THERE = "selector => Boolean(document.querySelector(selector))"
_DIGITS = """() => [...document.querySelectorAll('.hand [data-path]:not(.idle)')].slice(0, 10)
  .flatMap((card, at) => card.matches('.lit') ? [String((at + 1) % 10)] : [])"""


def press_until_focused(page: Page, key: str, selector: str) -> None:
    """Press a key until the focused element matches the selector."""
    for _ in range(MAX_STOPS):
        if page.evaluate(_IS_AT, selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {selector}.")


def reach_and_press(page: Page, *routes: tuple[str, str], final_key: str = "Enter") -> None:
    """Follow routes of a key and a selector, then press a key on the focused element."""
    for key, selector in routes:
        press_until_focused(page, key, selector)
    page.keyboard.press(final_key)


def take_step(page: Page, action: str, rng: Random) -> None:
    """Play the offered move, or pick a lit part; restart the turn now and then."""
    if action == "next":
        reach_and_press(page, ("Tab", '[data-do="next"]'))
    elif action == "play":
        play_offered(page, lambda: reach_and_press(page, ("Tab", '[data-do="play"]')))
    elif action == "again" or rng.random() < 0.05:
        page.keyboard.press("Escape")
    else:
        pick_part(page, rng)


def pick_part(page: Page, rng: Random) -> None:
    """Pick a card by its number, a part of the table by arrows, or a choice of the bar by Tab."""
    digits: Sequence[str] = page.evaluate(_DIGITS)
    routes = [
        *digits,
        *(route for route in (_LIT_ON_FELT, _CHOICE) if page.evaluate(_IS_THERE, route)),
    ]
    route = rng.choice(routes)
    if route == _LIT_ON_FELT:
        reach_and_press(page, ("Tab", _FELT), ("ArrowRight", _LIT_ON_FELT), final_key="Space")
    elif route == _CHOICE:
        reach_and_press(page, ("Tab", _CHOICE))
    else:
        page.keyboard.press(route)
