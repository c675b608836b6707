"""Continuing a match at a table from its replay, and back, on a phone and a desk."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import expect

from cardroom.pages.tables import table_views
from tests.browser.axe import violations
from tests.browser.conftest import OpenTab
from tests.browser.tables import DESK, LIT, PHONE, SCROLLS, await_turn, moves_known, take_step
from tests.pages import finished
from tests.play.hall import judge_moves

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
SHORT = "cassino/standard/1v1?deals=1"


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_a_table_continues_from_the_shown_move(
    live_server: Any, open_tab: OpenTab, size: dict[str, int]
) -> None:
    match = finished.match(finished.play(SHORT))
    page = open_tab(size).page
    page.goto(f"{live_server.url}/matches/{match.pk}/#move-20")
    page.locator("[data-replay].ready").wait_for()
    page.keyboard.press("ArrowRight")
    if size is PHONE:
        page.get_by_role("button", name="About").click()
    page.get_by_role("link", name="From here").locator("visible=true").click()
    form = page.locator("#here")
    expect(form).to_be_in_viewport()
    expect(form.get_by_label("Play from move")).to_have_value("21")
    expect(form).to_contain_text("deal 1 of 1, move 21 of 48: Tricoteuse to move")
    expect(form.locator("#here-seat")).to_have_value("1")
    assert not page.evaluate(SCROLLS)[0]
    assert violations(page) == []
    form.get_by_role("button", name="Play from here").click()
    page.locator(".play.ready").wait_for()
    assert moves_known(page) == 21
    rng = Random(5)
    while moves_known(page) == 21:
        take_step(page, await_turn(page), rng, lambda one: one.click())
    if size is PHONE:
        page.locator('[data-do="menu"]').first.click()
    page.get_by_role("link", name="Kestrel – Tricoteuse").click()
    page.locator("[data-replay].ready").wait_for()
    expect(page.get_by_role("slider")).to_have_attribute(
        "aria-valuetext", "deal 1 of 1, move 21 of 48"
    )


def test_a_finished_match_cannot_be_continued_from_its_end(
    live_server: Any, open_tab: OpenTab
) -> None:
    match = finished.match(finished.play(SHORT))
    page = open_tab(DESK).page
    page.goto(f"{live_server.url}/matches/{match.pk}/#end")
    page.locator("[data-replay].ready").wait_for()
    form = page.locator("#here")
    expect(form).to_contain_text("the match is over")
    expect(form.get_by_role("button", name="Play from here")).to_be_disabled()
    page.keyboard.press("Home")
    expect(form.get_by_label("Play from move")).to_have_value("0")
    form.locator("#here-seat").select_option("1")
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(form.get_by_label("Play from move")).to_have_value("2")
    expect(form.locator("#here-seat")).to_have_value("1")


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_the_expert_judges_another_move(
    live_server: Any, open_tab: OpenTab, size: dict[str, int], settings: Any, monkeypatch: Any
) -> None:
    settings.ANALYSIS_PLAYOUTS = 12
    monkeypatch.setattr(table_views, "POLL_SECONDS", 0.05)
    match = finished.match(finished.play(SHORT))
    page = open_tab(size).page
    page.goto(f"{live_server.url}/matches/{match.pk}/#move-20")
    page.locator("[data-replay].ready").wait_for()
    page.locator("#here").get_by_role("link", name="Other moves").click()
    page.locator(".play.ready").wait_for()
    assert page.url.endswith(f"/matches/{match.pk}/positions/20/")
    assert page.evaluate(SCROLLS) == [False, False]
    button = page.get_by_role("button", name="Ask the expert")
    for _ in range(9):
        if button.count() and button.is_enabled():
            break
        page.locator(LIT).first.click()
    with page.expect_request("**/ask/"):
        button.click()
    answer = page.locator('[data-part="why"]')
    while "chance of winning the match" not in answer.inner_text():
        judge_moves()
        page.wait_for_timeout(20)
    assert violations(page) == []
    answers = page.locator('[data-part="answers"] li')
    expect(answers).to_have_count(1)
    page.reload()
    page.locator(".play.ready").wait_for()
    expect(answers).to_have_count(1)
    if size is PHONE:
        page.get_by_role("button", name="Answers").click()
    page.get_by_role("link", name="Kestrel – Tricoteuse").click()
    page.locator("[data-replay].ready").wait_for()
    expect(page.get_by_role("slider")).to_have_attribute(
        "aria-valuetext", "deal 1 of 1, move 20 of 48"
    )
