"""The page of ratings, on one screen of any width."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import OpenTab
from tests.browser.test_pages import LAYOUT_FAULTS, OVERFLOW
from tests.pages import pools

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DESK = {"width": 1440, "height": 900}
TABLET = {"width": 1024, "height": 768}
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 320, "height": 640}
ZOOMED = {"width": 640, "height": 400}


@pytest.mark.parametrize(("scheme", "name"), [("light", ""), ("dark", "W" * 38)])
def test_pools_of_many_bots_fit_every_width(
    live_server: Any, open_tab: OpenTab, scheme: str, name: str
) -> None:
    """All rows that can be opened are open."""
    pools.fill(16, name=name, parts=2)
    for size in (DESK, TABLET, PHONE, SMALL_PHONE, ZOOMED):
        page = open_tab(size, color_scheme=scheme).page
        page.goto(f"{live_server.url}/ratings/?pool={pools.POOL}")
        page.evaluate("document.querySelectorAll('.rat details').forEach(d => { d.open = true })")
        assert page.evaluate(OVERFLOW) == [], size
        assert page.evaluate(LAYOUT_FAULTS) == [], size
        assert violations(page) == [], size
        panel = page.locator(".panel.scroll")
        assert panel.evaluate("p => p.scrollWidth - p.clientWidth") <= (size is DESK), size


def test_a_desk_shows_all_parts_on_one_screen(live_server: Any, open_tab: OpenTab) -> None:
    pools.fill(9)
    page = open_tab(DESK).page
    page.goto(f"{live_server.url}/ratings/?pool={pools.POOL}")
    for part in (".verdict", ".best", ".rat", ".foot-line"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
    cells = page.locator(".rat a.cell")
    expect(cells.first).to_be_visible()
    expect(page.locator(".rat summary").first).to_be_hidden()
    label = cells.first.get_attribute("aria-label") or ""
    cells.first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(label.rpartition(": ")[0])


def test_a_row_opens_by_key_and_by_tap(live_server: Any, open_tab: OpenTab) -> None:
    """This needs no script; the name still links to the bot."""
    pools.fill(9)
    page = open_tab(PHONE).page
    page.goto(f"{live_server.url}/ratings/?pool={pools.POOL}")
    for part in (".verdict", ".best", ".rat tbody tr >> nth=0"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
    first, second = (page.locator(".rat tr.opened").nth(number) for number in (0, 1))
    expect(first).to_be_hidden()
    page.locator(".rat summary").first.focus()
    page.keyboard.press("Enter")
    expect(first).to_contain_text("Beats")
    page.keyboard.press("Enter")
    expect(first).to_be_hidden()
    number = page.locator(".rat .rate").nth(1).bounding_box()
    assert number is not None
    page.touchscreen.tap(number["x"] + 5, number["y"] + 5)
    expect(second).to_contain_text("ahead of the next")
    second.get_by_role("link", name="All opponents").tap()
    expect(page).to_have_url(re.compile("/bots/"))
    page.go_back()
    page.locator(".rat .bot").first.tap()
    expect(page).to_have_url(re.compile("/bots/"))
