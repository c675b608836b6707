"""Tables on the smallest screens: who sits there, with how many cards; how the table stands."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Opened
from tests.browser.tabled import advance, open_table, table_of
from tests.browser.tables import PHONE, SCROLLS
from tests.full_size import FULL_SIZE_ONLY

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
SMALL = {"width": 320, "height": 640}
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
# Of each other seat whether its plate and its number of cards lie on the felt, with nothing on top.
SEEN = """() => {
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
CUT = """words => {
  const chip = document.querySelector('[data-part="chip"]')
  chip.textContent = words
  return [chip.scrollWidth > chip.clientWidth + 1, chip.scrollHeight > chip.clientHeight + 1]
}"""


@pytest.mark.parametrize(("text", "after"), FORMATS)
@pytest.mark.parametrize("size", [SMALL, PHONE], ids=["320", "390"])
def test_all_others_and_their_cards_are_seen(
    live_server: Any, opened: Opened, size: dict[str, int], text: str, after: int
) -> None:
    page = opened(size).page
    key = table_of(page, live_server.url, text)
    advance(key, lambda table: table.moves >= after and not table.bots_turn)
    open_table(page, live_server.url, key)
    assert page.evaluate(SEEN) == [[True, True]] * page.locator(".f-seat").count()
    assert page.locator(".f-seat").count() > 1
    assert page.evaluate(SCROLLS) == [False, False]


@pytest.mark.parametrize("width", [320, 390])
def test_how_the_table_stands_is_not_cut(live_server: Any, opened: Opened, width: int) -> None:
    page = opened({"width": width, "height": 640}).page
    key = table_of(page, live_server.url, "spoon-eye/standard/1v1")
    open_table(page, live_server.url, key)
    for words in ("your turn", "waiting for a friend", "House Greedy thinks", "connection lost"):
        assert page.evaluate(CUT, words) == [False, False], words


ZOOMED = {"width": 720, "height": 450}
"""1440 × 900 at 200 %."""
ON_ITS_SIDE = {"width": 844, "height": 390}
# Parts of the own hand and of the bar that one cannot see or reach.
UNSEEN = """() => {
  const parts = [...document.querySelectorAll(
    '.hand [data-path], .f-foot .plate, .p-bar .acts .btn, .p-bar .say')]
  return parts.filter(one => {
    const { left, right, top, bottom } = one.getBoundingClientRect()
    const at = document.elementFromPoint((left + right) / 2, bottom - 3)
    const lies = left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1
    return !lies || !(one.contains(at) || at?.contains(one))
  }).map(one => one.textContent || one.ariaLabel)
}"""


LOW = [
    *FORMATS[:4],
    ("cassino/standard/1v1?deals=1", 12),
    ("spoon-eye/standard/ffa4", 60),
]


@pytest.mark.parametrize(("text", "after"), LOW)
@pytest.mark.parametrize("size", [ZOOMED, ON_ITS_SIDE], ids=["zoomed", "on its side"])
def test_the_own_hand_and_the_bar_are_seen_where_it_is_low(
    live_server: Any, opened: Opened, size: dict[str, int], text: str, after: int
) -> None:
    page = opened(size).page
    key = table_of(page, live_server.url, text)
    advance(key, lambda table: table.moves >= after and not table.bots_turn)
    open_table(page, live_server.url, key)
    assert page.evaluate(UNSEEN) == []
    assert page.evaluate(SCROLLS) == [False, False]


def test_all_that_lies_before_eight_players_is_seen_on_a_phone_on_its_side(
    live_server: Any, opened: Opened
) -> None:
    page = opened(ON_ITS_SIDE).page
    key = table_of(page, live_server.url, "zwicker/grupp/ffa8")
    advance(key, lambda table: table.moves >= 30 and not table.bots_turn)
    open_table(page, live_server.url, key)
    assert page.locator(".f-mid [data-path]").count() > 4
    assert (
        page.evaluate(
            "(mid => mid.scrollHeight - mid.clientHeight)(document.querySelector('.f-mid'))"
        )
        <= 1
    )
    assert page.evaluate(SEEN) == [[True, True]] * 7


def test_the_goal_is_never_cut(live_server: Any, opened: Opened) -> None:
    page = opened(SMALL).page
    key = table_of(page, live_server.url, "canasta/classic/2v2?deals=1")
    open_table(page, live_server.url, key)
    assert page.evaluate(
        "(aim => aim.scrollWidth <= aim.clientWidth + 1)(document.querySelector('.goal .aim'))"
    )
