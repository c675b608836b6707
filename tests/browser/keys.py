"""A player who has nothing but a keyboard: sees what has the focus, and presses keys."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from playwright.sync_api import Page

from tests.browser.tables import play

MOST = 60
"""Stops on the way to anything, at most."""
_FELT = ".felt [data-path]:not(.idle, .hand *)"
_LIT_ON_FELT = ".felt .lit:not(.hand *)"
_CHOICE = '.p-bar :is([data-do="pick"], [data-do="do"])'
_IS_AT = "selector => Boolean(document.activeElement?.matches(selector))"
_IS_THERE = "selector => Boolean(document.querySelector(selector))"
_DIGITS = """() => [...document.querySelectorAll('.hand [data-path]:not(.idle)')].slice(0, 10)
  .flatMap((card, at) => card.matches('.lit') ? [String((at + 1) % 10)] : [])"""


def walk(page: Page, key: str, selector: str) -> None:
    """Press a key until what it moves the focus to matches."""
    for _ in range(MOST):
        if page.evaluate(_IS_AT, selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {selector}.")


def use(page: Page, *ways: tuple[str, str], last: str = "Enter") -> None:
    """Walk one way after the other, then press what has the focus."""
    for key, selector in ways:
        walk(page, key, selector)
    page.keyboard.press(last)


def one_step(page: Page, now: str, rng: Random) -> None:
    """Play what is offered, or pick something that is lit; begin the turn anew now and then."""
    if now == "next":
        use(page, ("Tab", '[data-do="next"]'))
    elif now == "play":
        play(page, lambda: use(page, ("Tab", '[data-do="play"]')))
    elif now == "again" or rng.random() < 0.05:
        page.keyboard.press("Escape")
    else:
        pick(page, rng)


def pick(page: Page, rng: Random) -> None:
    """A card by its number, what lies on the table by the arrows, what the bar offers by Tab."""
    digits: Sequence[str] = page.evaluate(_DIGITS)
    ways = [*digits, *(way for way in (_LIT_ON_FELT, _CHOICE) if page.evaluate(_IS_THERE, way))]
    way = rng.choice(ways)
    if way == _LIT_ON_FELT:
        use(page, ("Tab", _FELT), ("ArrowRight", _LIT_ON_FELT), last="Space")
    elif way == _CHOICE:
        use(page, ("Tab", _CHOICE))
    else:
        page.keyboard.press(way)
