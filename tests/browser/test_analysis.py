"""The analysis in the viewer: marks in the list and on the time line, links that lead to a move."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from cardroom.pages.analyses import panel_of
from tests.browser.conftest import Watched
from tests.pages import finished
from tournaments import actions, analysing

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_marks_and_links_lead_to_the_costliest_moves(
    live_server: Any, watched: Watched, settings: Any
) -> None:
    settings.ANALYSIS_PLAYOUTS = 12
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.ask_analysis(match, None)
    while analysing.analyse_piece():
        pass
    panel = panel_of(match, ["Kestrel", "Tricoteuse"])
    first = panel.costliest[0]
    page = watched.page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    expect(page.locator(".tl .chance")).to_have_count(1)
    marked = page.locator(".moves .tick.fault").filter(has_text="▼")
    assert marked.count() >= len(panel.costliest)
    page.get_by_role("link", name=first.words).first.click()
    position = page.get_by_role("slider")
    expect(position).to_have_attribute("aria-valuetext", f"deal 1 of 1, move {first.n} of 48")
    told = page.locator(".moves [aria-current] .judged")
    expect(told).to_contain_text(f"{first.kind}, {first.cost.partition(' ')[0]} points.")
    expect(told).to_contain_text("The expert: ")
