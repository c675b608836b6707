"""People's tables in a real browser: from the start page, in two tabs, with motion or without."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened
from tests.browser.tables import (
    DESK,
    PHONE,
    SCROLLS,
    SMALL,
    attend,
    deal,
    finish,
    number,
    one_step,
)
from tests.play.hall import compare_deals

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]

SHOWN = """() => {
  const cards = box => [...document.querySelectorAll(`${box} .card[data-card]`)]
    .map(card => card.dataset.card).sort()
  const text = part => document.querySelector(`[data-part="${part}"]`).innerText
  return [cards('.hand'), cards('.f-mid'), text('told'), text('score'), text('chip')]
}"""
# Remembers of each animation where its card was laid, began and ended; and what style sheets run.
REMEMBER = """
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


def click_on(page: Page, rng: Random) -> None:
    """One own move, with clicks, from whatever can be done now."""
    before = number(page)
    while number(page) == before:
        one_step(page, attend(page), rng, lambda one: one.click())


def test_a_stranger_plays_from_the_start_page_to_the_end_of_a_deal(
    live_server: Any, opened: Opened
) -> None:
    page = opened(PHONE).page
    page.goto(live_server.url)
    page.get_by_role("link", name="Play a hand").first.tap()
    page.locator(".tile", has_text="Cassino").tap()
    page.get_by_role("button", name="Deal the cards").tap()
    page.locator(".play.ready").wait_for()
    assert page.evaluate(SCROLLS) == [False, False]
    assert page.evaluate(SMALL) == []
    rng = Random(7)
    finish(page, lambda now: one_step(page, now, rng, lambda one: one.tap()))
    expect(page.locator(".verdict:not(.to-come) b")).not_to_be_empty()
    assert page.evaluate(SCROLLS) == [False, False]
    compare_deals()
    page.get_by_role("link", name="Same cards at the other tables").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("The same cards at the other tables")


def test_two_tabs_show_the_same_whichever_moves(live_server: Any, opened: Opened) -> None:
    first = opened(DESK).page
    deal(first, live_server.url, "Cassino")
    rng = Random(4)
    click_on(first, rng)
    second = first.context.new_page()
    second.goto(first.url)
    second.locator(".play.ready").wait_for()
    for mover, other in ((second, first), (first, second), (second, first)):
        attend(mover)
        click_on(mover, rng)
        other.locator(f'.play[data-n="{number(mover)}"]').wait_for()
        attend(mover)
        assert looks(first, number(mover)) == looks(second, number(mover))


def test_going_back_to_a_table_shows_it_as_it_is_now(live_server: Any, opened: Opened) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, "Cassino")
    attend(page)
    for _ in range(2):
        click_on(page, Random(4))
    attend(page)
    shown, table = page.evaluate(SHOWN), page.url
    page.goto(f"{live_server.url}/games/cassino/")
    # The page itself must know: it hears nothing more. (A route would switch off the cache.)
    page.add_init_script("window.fetch = () => new Promise(() => {})")
    page.go_back()
    page.locator(".play.ready").wait_for()
    assert page.url == table
    assert page.evaluate(SHOWN) == shown


def looks(page: Page, moves: int) -> Any:
    """What a page shows when it has heard of so many moves and has come to one's turn."""
    page.locator(f'.play[data-n="{moves}"]').wait_for()
    assert attend(page) == "pick"
    return page.evaluate(SHOWN)


def test_with_reduced_motion_nothing_moves(live_server: Any, opened: Opened) -> None:
    page = opened(DESK).page
    page.add_init_script(REMEMBER)
    deal(page, live_server.url, "Cassino")
    for _ in range(3):
        click_on(page, Random(4))
    attend(page)
    assert page.evaluate("flights") == []
    assert page.evaluate("running") == []
    assert page.evaluate("document.getAnimations().length") == 0


def test_with_motion_a_card_flies_to_where_it_lies(live_server: Any, opened: Opened) -> None:
    page = opened(DESK, reduced_motion="no-preference").page
    page.add_init_script(REMEMBER)
    deal(page, live_server.url, "Cassino")
    attend(page)
    hand = page.locator(".hand").bounding_box()
    assert hand is not None
    click_on(page, Random(4))
    page.wait_for_function("() => flights[0]?.ended")
    flight = page.evaluate("flights[0]")
    began, ended = flight["began"], flight["ended"]
    assert hand["x"] < began["x"] + began["width"] / 2 < hand["x"] + hand["width"]
    assert hand["y"] < began["y"] + began["height"] / 2 < hand["y"] + hand["height"]
    assert ended == flight["laid"]
    assert flight["there"], f"{flight['card']} does not lie on the table."
