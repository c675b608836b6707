"""People's tables in a real browser: illegal picks, friends, sizes and themes."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import OpenTab
from tests.browser.tables import (
    DESK,
    PHONE,
    SCROLLS,
    TABLET,
    await_turn,
    click_in_turns,
    moves_known,
    possible_action,
    start_table,
)
from tests.browser.test_pages import OVERFLOW
from tests.full_size import FULL_SIZE_ONLY
from tests.play.hall import finished_table
from tests.thirdparty.test_sixth_game import installed, site

__all__ = ["installed", "site"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]


def test_illegal_picks_are_dimmed_and_explained(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Paks")
    page.locator(".hand .lit").first.click()
    page.locator(".hand .picked").first.wait_for()
    picks = page.locator(".felt .picked").count()
    page.locator(".felt .dim").first.click(force=True)  # it is aria-disabled, but responds
    expect(page.locator(".p-why")).to_contain_text("PAK-")
    expect(page.locator(".felt .picked")).to_have_count(picks)
    page.keyboard.press("Escape")
    expect(page.locator(".felt .picked")).to_have_count(0)


def test_two_friends_play_with_two_bots(live_server: Any, open_tab: OpenTab) -> None:
    ann, ben = open_tab(PHONE).page, open_tab(DESK).page
    ann.goto(f"{live_server.url}/play/")
    ann.locator(".opt3", has_text="Four").click()
    ann.locator(".sc.n label", has_text="A friend").click()
    ann.locator('[name="handle"]').fill("Ann")
    ann.get_by_role("button", name="Deal the cards").click()
    ann.locator(".play.ready").wait_for()
    ben.goto(ann.locator(".p-bar .linkbox input").input_value())
    ben.get_by_label("Your name at the table").fill("Ben")
    ben.get_by_role("button", name="Sit down").click()
    expect(ben.locator(".hand .card")).to_have_count(4)
    click_in_turns((ann, ben), until=12)
    moves = moves_known(ben)
    expect(ann.locator(".f-others")).to_contain_text("Ben")
    for place, name in (("South", "you, Ann"), ("West", "Novice"), ("East", "Novice")):
        row = ann.locator("[data-part='seats'] li", has_text=place)
        assert row.locator("span").nth(1).text_content() == name
    cards = ben.locator(".hand .card").count()
    ben.reload()
    ben.locator(".play.ready").wait_for()
    assert moves_known(ben) >= moves
    expect(ben.locator(".hand .card")).to_have_count(cards)


def test_a_hint_and_the_list_of_moves(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    page.locator("summary", has_text="legal moves").click()
    page.locator('[data-do="offer"]').first.click()
    expect(page.locator('[data-do="play"]')).to_be_enabled()
    page.keyboard.press("Escape")
    page.get_by_label("Type a move").fill(
        page.locator(".hand .card").last.get_attribute("data-card") or ""
    )
    page.get_by_role("button", name="Choose").click()
    expect(page.locator('[data-do="play"]')).to_be_enabled()


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(PHONE, "light", id="phone-light"),
        pytest.param(TABLET, "light", id="tablet-light"),
        pytest.param(DESK, "dark", id="desk-dark"),
        pytest.param(PHONE, "dark", id="phone-dark", marks=FULL_SIZE_ONLY),
        pytest.param(TABLET, "dark", id="tablet-dark", marks=FULL_SIZE_ONLY),
        pytest.param(DESK, "light", id="desk-light", marks=FULL_SIZE_ONLY),
    ],
)
def test_pages_of_tables_fit_and_are_accessible(
    live_server: Any, open_tab: OpenTab, size: dict[str, int], scheme: Any
) -> None:
    old_table = finished_table()
    tab = open_tab(size)
    page, site = tab.page, live_server.url
    page.emulate_media(color_scheme=scheme)
    start_table(page, site, "Cassino")
    table = page.url
    for address in (
        table,
        f"{site}/play/",
        f"{site}/play/{old_table.key}/",
        f"{site}/play/{old_table.key}/comparison/1/",
    ):
        page.goto(address)
        page.wait_for_timeout(100)
        assert page.evaluate(OVERFLOW) == [], address
        assert violations(page) == [], address
    page.goto(f"{site}/play/{old_table.key}/replay/")
    expect(page.locator("[data-replay].ready .lap").first).to_be_visible()
    assert page.evaluate(OVERFLOW) == []


@pytest.mark.usefixtures("site")
def test_a_third_partys_game_is_played_from_the_list_of_moves(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(PHONE).page
    start_table(page, live_server.url, "Sixth")
    click_in_turns((page,), until=4)
    assert page.locator("[data-part='sentences'] li").count()
    assert page.evaluate(SCROLLS) == [False, False]


EMPTY_POINT = """() => {
  const { left, top, width, height } = document.querySelector('.f-mid').getBoundingClientRect()
  for (let x = left + 4; x < left + width; x += 8)
    for (let y = top + 4; y < top + height; y += 8) {
      const elements = document.elementsFromPoint(x, y)
      if (elements[0]?.closest('.f-mid') && !elements.some(one => one.closest('[data-path]')))
        return [x, y]
    }
}"""


def test_a_card_dragged_to_the_empty_felt_is_laid_there(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    page.locator(".hand .lit").first.hover()
    page.mouse.down()
    page.mouse.move(*page.evaluate(EMPTY_POINT), steps=4)
    expect(page.locator(".hand .dragged")).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".dragged, .dragging")).to_have_count(0)
    expect(page.locator(".hand .picked")).to_have_count(1)
    expect(page.locator(".p-bar [data-do='play']")).to_be_enabled()


HAS_RING = "getComputedStyle(document.querySelector('.hand')).boxShadow !== 'none'"


def test_the_hand_has_the_focus_and_a_ring_only_for_keys(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    hand = page.locator(".hand")
    expect(hand).to_be_focused()
    assert not page.evaluate(HAS_RING)
    page.keyboard.press("Shift")
    assert page.evaluate(HAS_RING)
    page.mouse.move(4, 4)
    page.mouse.down()
    assert not page.evaluate(HAS_RING)


def test_a_held_key_plays_one_move(live_server: Any, open_tab: OpenTab) -> None:
    """Formerly it played all forced moves of a deal."""
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    page.locator("[data-part='moves'] summary").click()
    for expected_action in ("wait", "play"):
        await_turn(page)
        page.locator("[data-do='offer']").first.click()
        page.evaluate("document.activeElement.blur()")
        page.keyboard.down("Enter")  # the second time it repeats, because it is not released
        assert possible_action(page) == expected_action
