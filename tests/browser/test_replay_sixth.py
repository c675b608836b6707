"""A third party's game without its own renderer is drawn plainly in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from engine import Record
from tests import factories
from tests.browser.conftest import Tab
from tests.thirdparty.test_sixth_game import FORMAT, installed, site

__all__ = ["installed", "site"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

READ_TABLE = """() => ({
  hands: [...document.querySelectorAll('[data-hand]')]
    .sort((a, b) => a.dataset.hand - b.dataset.hand)
    .map((hand) => [...hand.querySelectorAll('.card')].map((card) => card.dataset.card)),
  middle: [...document.querySelectorAll('.center .card')].map((card) => card.dataset.card),
  phase: [...document.querySelectorAll('.things dd')].map((one) => one.textContent),
})"""


@pytest.mark.usefixtures("site")
def test_a_sixth_game_is_drawn_plainly(live_server: Any, tab: Tab) -> None:
    bots = [factories.bot(formats=("sixth/*/*",)) for _ in range(2)]
    cup = factories.tournament(bots, format=FORMAT, start=True)
    factories.finish_all(cup)
    match = cup.matches.all()[0]
    page = tab.page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready .table.plain")).to_be_visible()
    record = Record.from_json(
        page.request.get(f"{live_server.url}/api/v1/matches/{match.pk}/record/").body()
    )
    for frame in record.frames():
        page_state, view = page.evaluate(READ_TABLE), frame["view"]
        assert page_state["hands"] == view["hands"]
        assert sorted(page_state["middle"]) == sorted(
            card for pile in view["laid"] for card in pile
        )
        assert view["phase"] in page_state["phase"]
        page.keyboard.press("ArrowRight")
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 375
