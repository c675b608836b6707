"""Whole deals of each game at people's tables in a real browser."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import keys
from tests.browser.conftest import OpenTab
from tests.browser.tables import (
    DESK,
    GAMES,
    PHONE,
    SCROLLS,
    SMALL_CONTROLS,
    finish_match,
    start_table,
    take_step,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
BY_KEYS = ("Paks", "Spoon Eye")
"""Played by keyboard in `make test`, the others by tapping; at full size, all in both ways."""
FULL_SIZE_GAMES = ("Cassino", "Zwicker")
"""At full size only: `test_play_visits.py` plays Cassino, and Zwicker's board is similar."""


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_finished_by_tapping(
    live_server: Any, open_tab: OpenTab, game: str, full_size: bool
) -> None:
    if game in (*BY_KEYS, *FULL_SIZE_GAMES) and not full_size:
        pytest.skip("at full size; it is played by keyboard or elsewhere, or a similar game is")
    tab = open_tab(PHONE)
    page = tab.page
    start_table(page, live_server.url, game)
    assert page.evaluate(SCROLLS) == [False, False]
    assert page.evaluate(SMALL_CONTROLS) == []
    rng = Random(5)
    finish_match(page, lambda action: take_step(page, action, rng, lambda one: one.tap()))
    expect(page.locator(".verdict:not(.to-come) b")).not_to_be_empty()
    assert page.evaluate(SCROLLS) == [False, False]


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_finished_by_keyboard(
    live_server: Any, open_tab: OpenTab, game: str, full_size: bool
) -> None:
    if game not in BY_KEYS and not full_size:
        pytest.skip("at full size; it is played by tapping")
    page = open_tab(DESK).page
    start_table(page, live_server.url, game)
    rng = Random(3)
    finish_match(page, lambda action: keys.take_step(page, action, rng))
    expect(page.locator(".verdict:not(.to-come) b")).not_to_be_empty()
