"""People's tables in a real browser: from the start page, in two tabs, with and without motion."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenTab
from tests.browser.tables import (
    DESK,
    PHONE,
    SCROLLS,
    SMALL_CONTROLS,
    await_turn,
    finish_match,
    moves_known,
    start_table,
    take_step,
)
from tests.play.hall import compare_deals

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]

READ_TABLE = """() => {
  const cards = box => [...document.querySelectorAll(`${box} .card[data-card]`)]
    .map(card => card.dataset.card).sort()
  const text = part => document.querySelector(`[data-part="${part}"]`).innerText
  return [cards('.hand'), cards('.f-mid'), text('sentences'), text('score'), text('chip')]
}"""
# Record where each card is laid, starts and ends, and the animations of style sheets.
RECORD_ANIMATIONS = """
  window.flights = []
  window.running = []
  const animate = Element.prototype.animate
  Element.prototype.animate = function (keyframes, options) {
    const flight = { card: this.dataset.card, keyframes }
    flight.laid = this.getBoundingClientRect()
    const animation = animate.call(this, keyframes, options)
    animation.pause()
    flight.began = this.getBoundingClientRect()
    animation.play()
    animation.finished.then(() => {
      flight.ended = this.getBoundingClientRect()
      flight.there = this.isConnected && Boolean(this.closest('.f-mid'))
    }, () => {})
    window.flights.push(flight)
    return animation
  }
  for (const kind of ['animationstart', 'transitionrun'])
    document.addEventListener(kind, ({ target, propertyName, animationName }) => {
      const own = getComputedStyle(target)
      const lasts = [own.animationDuration, own.transitionDuration].join(', ').split(', ')
      if (lasts.some(time => parseFloat(time) > 0.001))
        window.running.push(`${target.className} ${propertyName ?? animationName}`)
    }, true)
"""


def click_own_move(page: Page, rng: Random) -> None:
    """Play one own move with clicks."""
    known = moves_known(page)
    while moves_known(page) == known:
        take_step(page, await_turn(page), rng, lambda one: one.click())


def test_a_guest_plays_from_the_start_page_to_the_end_of_a_deal(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(PHONE).page
    page.goto(live_server.url)
    page.get_by_role("link", name="Play a hand").first.tap()
    page.locator(".tile", has_text="Cassino").tap()
    page.get_by_role("button", name="Deal the cards").tap()
    page.locator(".play.ready").wait_for()
    assert page.evaluate(SCROLLS) == [False, False]
    assert page.evaluate(SMALL_CONTROLS) == []
    rng = Random(7)
    finish_match(page, lambda action: take_step(page, action, rng, lambda one: one.tap()))
    expect(page.locator(".verdict:not(.to-come) b")).not_to_be_empty()
    assert page.evaluate(SCROLLS) == [False, False]
    compare_deals()
    page.get_by_role("link", name="Same cards at the other tables").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("The same cards at the other tables")


def test_two_tabs_of_a_table_stay_equal(live_server: Any, open_tab: OpenTab) -> None:
    first = open_tab(DESK).page
    start_table(first, live_server.url, "Cassino")
    rng = Random(4)
    click_own_move(first, rng)
    second = first.context.new_page()
    second.goto(first.url)
    second.locator(".play.ready").wait_for()
    for mover, other in ((second, first), (first, second), (second, first)):
        await_turn(mover)
        click_own_move(mover, rng)
        other.locator(f'.play[data-n="{moves_known(mover)}"]').wait_for()
        await_turn(mover)
        assert state_at(first, moves_known(mover)) == state_at(second, moves_known(mover))


def test_going_back_shows_the_current_table(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    await_turn(page)
    for _ in range(2):
        click_own_move(page, Random(4))
    await_turn(page)
    state, table = page.evaluate(READ_TABLE), page.url
    page.goto(f"{live_server.url}/games/cassino/")
    # The page must update without requests. (A route would switch off the cache.)
    page.add_init_script("window.fetch = () => new Promise(() => {})")
    page.go_back()
    page.locator(".play.ready").wait_for()
    assert page.url == table
    assert page.evaluate(READ_TABLE) == state


def state_at(page: Page, moves: int) -> Any:
    """What a page shows when it knows `moves` moves and the person is to move."""
    page.locator(f'.play[data-n="{moves}"]').wait_for()
    assert await_turn(page) == "pick"
    return page.evaluate(READ_TABLE)


def test_with_reduced_motion_nothing_moves(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    page.add_init_script(RECORD_ANIMATIONS)
    start_table(page, live_server.url, "Cassino")
    for _ in range(3):
        click_own_move(page, Random(4))
    await_turn(page)
    assert page.evaluate("flights") == []
    assert page.evaluate("running") == []
    assert page.evaluate("document.getAnimations().length") == 0


def test_with_motion_a_card_flies_to_its_place(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK, reduced_motion="no-preference").page
    page.add_init_script(RECORD_ANIMATIONS)
    start_table(page, live_server.url, "Cassino")
    await_turn(page)
    hand = page.locator(".hand").bounding_box()
    assert hand is not None
    click_own_move(page, Random(4))
    page.wait_for_function("() => flights[0]?.ended")
    flight = page.evaluate("flights[0]")
    start, end = flight["began"], flight["ended"]
    assert hand["x"] < start["x"] + start["width"] / 2 < hand["x"] + hand["width"]
    assert hand["y"] < start["y"] + start["height"] / 2 < hand["y"] + hand["height"]
    assert end == flight["laid"]
    assert flight["there"], f"{flight['card']} is not on the table."
