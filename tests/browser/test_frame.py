"""The frame of every page, and the first page, on a phone, a tablet and a desk."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab
from tests.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Controls that are too small for a thumb; links within sentences may be small.
SMALL_CONTROLS = """() =>
  [...document.querySelectorAll('.top a, .top summary, .top button, .btn, .sel')]
  .filter(e => e.checkVisibility())
  .filter(e => e.getBoundingClientRect().height < 43.5)
  .map(e => e.outerHTML.slice(0, 90))"""


def test_the_menu_is_a_row_or_a_button_and_fits(live_server: Any, tab: Tab) -> None:
    page = tab.page
    for width in (1100, 1099, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{live_server.url}/")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        entry = page.get_by_role("navigation").get_by_role("link", name="Tournaments")
        if width < 1100:
            expect(entry).to_have_count(0)
            page.locator("summary", has_text="Menu").click()
            assert page.evaluate(SMALL_CONTROLS) == []
        expect(entry).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("link", name="Sign up")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_screen_has_a_table_and_both_links(
    live_server: Any, tab: Tab, width: int, height: int
) -> None:
    finished.match(finished.play("cassino/standard/2v2?deals=1"))
    page = tab.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{live_server.url}/")
    table = page.get_by_role("article", name="A table")
    expect(table.locator(".center .card").first).to_be_in_viewport(ratio=1)
    expect(table.locator(".last")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Watch this table")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("heading", name="Play a hand")).to_be_in_viewport(ratio=1)
    if width < 1100:
        expect(page.get_by_role("link", name="Cassino", exact=True)).to_be_in_viewport()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_table_plays_unless_motion_is_reduced(live_server: Any, tab: Tab, motion: Any) -> None:
    finished.match(finished.play("zwicker/grupp/ffa3?deals=1"))
    page = tab.page
    page.clock.install()
    page.emulate_media(reduced_motion=motion)
    page.goto(f"{live_server.url}/")
    table = page.locator("[data-watch] [data-frame]")
    expect(table).to_have_count(1)
    frame = int(table.get_attribute("data-frame") or "")
    page.clock.run_for(3000)  # longer than any move at the default pace
    if motion == "reduce":
        expect(table).to_have_attribute("data-frame", str(frame))
    else:
        expect(table).not_to_have_attribute("data-frame", str(frame))
