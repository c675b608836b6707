"""A deal of each game at a people's table, in a real browser, from its first move to its end."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import keys
from tests.browser.conftest import Opened
from tests.browser.tables import DESK, GAMES, PHONE, SCROLLS, SMALL, deal, finish, one_step

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
BY_KEYS = ("Paks", "Spoon Eye")
"""Finished by keyboard in `make test`, the others by tapping; at full size all in both ways."""
SELDOM = ("Cassino", "Zwicker")
"""At full size only: `test_play_visits.py` plays Cassino, and Zwicker's board is much like it."""


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_finished_by_tapping(
    live_server: Any, opened: Opened, game: str, full_size: bool
) -> None:
    if game in (*BY_KEYS, *SELDOM) and not full_size:
        pytest.skip("at full size; it is finished below or elsewhere, or another is much like it")
    watched = opened(PHONE)
    page = watched.page
    deal(page, live_server.url, game)
    assert page.evaluate(SCROLLS) == [False, False]
    assert page.evaluate(SMALL) == []
    rng = Random(5)
    finish(page, lambda now: one_step(page, now, rng, lambda one: one.tap()))
    expect(page.locator(".verdict:not(.to-come) b")).not_to_be_empty()
    assert page.evaluate(SCROLLS) == [False, False]


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_finished_by_keyboard(
    live_server: Any, opened: Opened, game: str, full_size: bool
) -> None:
    if game not in BY_KEYS and not full_size:
        pytest.skip("at full size; by tapping it is finished above")
    page = opened(DESK).page
    deal(page, live_server.url, game)
    rng = Random(3)
    finish(page, lambda now: keys.one_step(page, now, rng))
    expect(page.locator(".verdict:not(.to-come) b")).not_to_be_empty()
