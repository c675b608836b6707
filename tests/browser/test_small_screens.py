"""Tables on the smallest screens: seats, their numbers of cards, the table's status."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenTab
from tests.browser.prepared_tables import advance, new_table, open_table
from tests.browser.tables import PHONE, SCROLLS
from tests.full_size import FULL_SIZE_ONLY

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
SMALL_PHONE = {"width": 320, "height": 640}
FORMATS = [
    ("canasta/classic/2v2", 60),
    ("canasta/classic/3v3", 60),
    ("paks/standard/2v2", 60),
    ("zwicker/grupp/ffa8", 30),
    pytest.param("spoon-eye/standard/ffa4", 60, marks=FULL_SIZE_ONLY),
    pytest.param("canasta/classic/1v2", 60, marks=FULL_SIZE_ONLY),
    pytest.param("paks/standard/3v3", 60, marks=FULL_SIZE_ONLY),
    pytest.param("cassino/standard/2v2", 20, marks=FULL_SIZE_ONLY),
]
# For each other seat: are its plate and its number of cards inside the felt and uncovered?
VISIBLE_SEATS = """() => {
  const felt = document.querySelector('[data-part="felt"]')
  const room = felt.getBoundingClientRect()
  const inside = one => {
    const { left, right, top, bottom, width } = one.getBoundingClientRect()
    const lies = left >= room.left - 1 && right <= room.right + 1 && top >= room.top - 1
      && bottom <= room.bottom + 1
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    return width > 0 && lies && (one.contains(at) || at?.contains(one))
  }
  const seats = [...felt.querySelectorAll('.f-seat')]
  return seats.map(seat => ['.plate', '.held'].map(part => inside(seat.querySelector(part))))
}"""
CHIP_OVERFLOW = """words => {
  const chip = document.querySelector('[data-part="chip"]')
  chip.textContent = words
  return [chip.scrollWidth > chip.clientWidth + 1, chip.scrollHeight > chip.clientHeight + 1]
}"""


def open_advanced_table(page: Page, site: str, text: str, moves: int) -> None:
    """Open a table of a format after this many moves, when a person is to move."""
    key = new_table(page, site, text)
    advance(key, lambda table: table.moves >= moves and not table.bots_turn)
    open_table(page, site, key)


@pytest.mark.parametrize(("text", "moves"), FORMATS)
@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE], ids=["320", "390"])
def test_other_seats_and_their_cards_are_visible(
    live_server: Any, open_tab: OpenTab, size: dict[str, int], text: str, moves: int
) -> None:
    page = open_tab(size).page
    open_advanced_table(page, live_server.url, text, moves)
    assert page.evaluate(VISIBLE_SEATS) == [[True, True]] * page.locator(".f-seat").count()
    assert page.locator(".f-seat").count() > 1
    assert page.evaluate(SCROLLS) == [False, False]


@pytest.mark.parametrize("width", [320, 390])
def test_the_tables_status_is_not_cut(live_server: Any, open_tab: OpenTab, width: int) -> None:
    page = open_tab({"width": width, "height": 640}).page
    key = new_table(page, live_server.url, "spoon-eye/standard/1v1")
    open_table(page, live_server.url, key)
    for text in ("your turn", "waiting for a friend", "House Greedy thinks", "connection lost"):
        assert page.evaluate(CHIP_OVERFLOW, text) == [False, False], text


ZOOMED = {"width": 720, "height": 450}
"""1440 × 900 at 200 %."""
LANDSCAPE = {"width": 844, "height": 390}
# Parts of the own hand and of the bar that are hidden or out of reach.
HIDDEN_PARTS = """() => {
  const parts = [...document.querySelectorAll(
    '.hand [data-path], .f-foot .plate, .p-bar .acts .btn, .p-bar .say')]
  return parts.filter(one => {
    const { left, right, top, bottom } = one.getBoundingClientRect()
    const at = document.elementFromPoint((left + right) / 2, bottom - 3)
    const lies = left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1
    return !lies || !(one.contains(at) || at?.contains(one))
  }).map(one => one.textContent || one.ariaLabel)
}"""


LOW_SCREEN_FORMATS = [
    *FORMATS[:4],
    ("cassino/standard/1v1?deals=1", 12),
    ("spoon-eye/standard/ffa4", 60),
]


@pytest.mark.parametrize(("text", "moves"), LOW_SCREEN_FORMATS)
@pytest.mark.parametrize("size", [ZOOMED, LANDSCAPE], ids=["zoomed", "on its side"])
def test_hand_and_bar_are_visible_on_low_screens(
    live_server: Any, open_tab: OpenTab, size: dict[str, int], text: str, moves: int
) -> None:
    page = open_tab(size).page
    open_advanced_table(page, live_server.url, text, moves)
    assert page.evaluate(HIDDEN_PARTS) == []
    assert page.evaluate(SCROLLS) == [False, False]


def test_a_landscape_phone_shows_everything_of_eight_seats(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(LANDSCAPE).page
    key = new_table(page, live_server.url, "zwicker/grupp/ffa8")
    advance(key, lambda table: table.moves >= 30 and not table.bots_turn)
    open_table(page, live_server.url, key)
    assert page.locator(".f-mid [data-path]").count() > 4
    assert (
        page.evaluate(
            "(mid => mid.scrollHeight - mid.clientHeight)(document.querySelector('.f-mid'))"
        )
        <= 1
    )
    assert page.evaluate(VISIBLE_SEATS) == [[True, True]] * 7


def test_the_goal_is_never_cut(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(SMALL_PHONE).page
    key = new_table(page, live_server.url, "canasta/classic/2v2?deals=1")
    open_table(page, live_server.url, key)
    assert page.evaluate(
        "(aim => aim.scrollWidth <= aim.clientWidth + 1)(document.querySelector('.goal .aim'))"
    )


# The width of the sentence and the height of the bar, with five buttons.
MANY_BUTTONS = """() => {
  const [bar, acts] = ['.p-bar', '.p-bar .acts'].map(one => document.querySelector(one))
  acts.replaceChildren(...Array.from({ length: 5 }, () => {
    const button = document.createElement('button')
    button.className = 'btn t44'
    button.textContent = 'Build fourteen: 3♦ on 5♥ 6♣'
    return button
  }))
  const inside = acts.getBoundingClientRect().right <= bar.getBoundingClientRect().right + 1
  return [bar.querySelector('.say').offsetWidth, bar.offsetHeight, inside]
}"""


@pytest.mark.parametrize("width", [820, 1024, 1100, 1440])
def test_many_buttons_leave_room_for_the_sentence(
    live_server: Any, open_tab: OpenTab, width: int
) -> None:
    page = open_tab({"width": width, "height": 900}).page
    open_table(page, live_server.url, new_table(page, live_server.url, "zwicker/grupp/1v1"))
    say_width, bar_height, acts_inside = page.evaluate(MANY_BUTTONS)
    assert say_width > 400
    assert bar_height < 150
    assert acts_inside
