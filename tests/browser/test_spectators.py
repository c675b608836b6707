"""Watching a table without a seat, and the bar while nobody can move."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenTab
from tests.browser.prepared_tables import advance, advance_to_last_moves, new_table, open_table
from tests.browser.tables import DESK

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
NOTE_REMATCH = """() => {
  document.activeElement.blur()
  window.isRematch = false
  document.querySelector('[data-part="another"]').addEventListener('submit', event => {
    event.preventDefault()
    window.isRematch = true
  })
}"""


def test_a_spectator_watches_the_next_deal(live_server: Any, open_tab: OpenTab) -> None:
    player, spectator = open_tab(DESK).page, open_tab(DESK).page
    key = new_table(player, live_server.url, "cassino/standard/1v1?deals=2")
    advance_to_last_moves(key, 3)
    open_table(spectator, live_server.url, key)
    advance(key, lambda table: table.deals == 1 and not table.bots_turn)
    spectator.get_by_role("button", name="Next deal").click()
    expect(spectator.locator(".corner.deal")).to_have_text("deal 2")
    advance(key, lambda _: False)
    expect(spectator.locator(".p-bar").get_by_role("link", name="Play a hand")).to_be_visible()
    spectator.evaluate(NOTE_REMATCH)
    spectator.keyboard.press("Enter")
    assert not spectator.evaluate("window.isRematch"), "only players may play again"
