"""Tables at which the person watches, waits, has left, or loses the connection."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cardroom_base.db.db_time import Now
from cardroom_tables.actions import seats
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.guests import invitation
from cardroom_tables.models import Table, TableSeat
from tests.browser.conftest import OpenTab
from tests.browser.prepared_tables import (
    advance,
    advance_to_last_moves,
    new_table,
    open_table,
    play_as_person,
    session_guest,
)
from tests.browser.tables import DESK, PHONE
from tests.play.hall import SHORT, finished_table, guest

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
NOTE_REMATCH = """() => {
  document.activeElement.blur()
  window.isRematch = false
  document.querySelector('[data-part="another"]').addEventListener('submit', event => {
    event.preventDefault()
    window.isRematch = true
  })
}"""
# Let POST requests fail, and hold all other requests until `window.answer()`.
LOSE_POSTS = """() => {
  const { fetch } = window
  const answered = new Promise(resolve => { window.answer = resolve })
  window.fetch = (address, options) => options?.method === 'POST'
    ? Promise.reject(new TypeError('lost'))
    : answered.then(() => fetch(address, options))
}"""
# Note long timeouts instead of starting them.
NOTE_WAITS = """
  window.waits = []
  const { setTimeout } = window
  window.setTimeout = (call, ms) => ms < 1000 ? setTimeout(call, ms) : window.waits.push(ms)"""
# The versions of the states that reach the page: a poll overtakes a POST, and the reverse.
TAKE_STATES = """async () => {
  const { Connection } = await import('/static/cardroom/play/connection.js')
  const taken = []
  const nothing = () => {}
  const connection = new Connection('/nowhere/', {
    onState: ({ version }) => taken.push(version), onSame: nothing, onLost: nothing,
    onFound: nothing, onGone: nothing })
  connection.schedule = nothing
  for (const [version, frames_total] of [[2, 1], [3, 4], [2, 1], [4, 3], [5, 4]])
    connection.receive({ version, frames_total, poll: 1000 }, '"tag"')
  return taken
}"""
# A busy site answers at once that the house bot still thinks.
PENDING_HINTS = """() => {
  const { setTimeout } = window
  window.waits = []
  window.setTimeout = (call, ms) => { window.waits.push(ms); return setTimeout(call, ms) }
  window.fetch = async () => new Response('{"pending": true}', { status: 202 })
}"""
# The wait after an unchanged state that the site did not hold, and after one that it held.
UNCHANGED_WAITS = """async () => {
  const { Connection } = await import('/static/cardroom/play/connection.js')
  const waits = []
  const nothing = () => {}
  const connection = new Connection('/nowhere/', {
    onState: nothing, onSame: nothing, onLost: nothing, onFound: nothing, onGone: nothing })
  connection.schedule = wait => waits.push(wait)
  const now = performance.now.bind(performance)
  for (const held of [0, 2000]) {
    window.fetch = async () => { performance.now = () => now() + held; return { status: 304 } }
    await connection.poll()
    performance.now = now
  }
  return waits
}"""


def test_a_spectator_watches_the_next_deal(live_server: Any, open_tab: OpenTab) -> None:
    player, spectator = open_tab(DESK).page, open_tab(DESK).page
    key = new_table(player, live_server.url, "cassino/standard/1v1?deals=2")
    advance_to_last_moves(key, 3)
    open_table(spectator, live_server.url, key)
    advance(key, lambda table: table.deals == 1 and not table.bots_turn)
    spectator.get_by_role("button", name="Next deal").click()
    expect(spectator.locator(".corner.deal")).to_have_text("deal 2")
    advance(key, lambda _: False)
    expect(spectator.locator(".p-bar").get_by_role("link", name="Play a hand")).to_be_visible()
    spectator.evaluate(NOTE_REMATCH)
    spectator.keyboard.press("Enter")
    assert not spectator.evaluate("window.isRematch"), "only players may play again"


# --- while nobody can move ------------------------------------------------------------------------


def open_with_friend(page: Page, site: str) -> Table:
    """Open a new table of the page's guest and of Bob, who has no browser."""
    choices = [SeatChoice("you"), SeatChoice("friend")]
    table = create_table(session_guest(page, site), SHORT, choices)
    seats.sit(table, guest("bob"), invitation(table, 1), "Bob")
    open_table(page, site, table.key)
    return table


def test_without_a_host_nobody_is_replaced(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    key = new_table(page, live_server.url, SHORT)
    open_table(page, live_server.url, key)
    play_as_person(page)
    Table.objects.update(moved=Now() - timedelta(seconds=10))
    page.reload()
    expect(page.locator(".p-bar .say")).to_have_text("Waiting for a host.")
    expect(page.get_by_role("button", name="Seat a house bot")).to_have_count(0)


def test_a_person_may_leave_and_sit_down_again(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    open_with_friend(page, live_server.url)
    page.get_by_role("button", name="Leave the table").click()
    expect(page.locator(".p-bar .say")).to_have_text("You have left the table.")
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator(".p-bar .say")).not_to_have_text("You have left the table.")


def test_a_person_with_two_seats_sees_the_one_to_move(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    table = open_with_friend(page, live_server.url)
    TableSeat.objects.filter(table=table).update(guest=session_guest(page, live_server.url).guest)
    for n in range(3):
        expect(page.locator(f'.play[data-n="{n}"] .chip')).to_have_text("your turn")
        play_as_person(page)


def test_the_house_takes_the_seat_of_an_absent_person(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    open_with_friend(page, live_server.url)
    bob = page.locator(".p-seats li", has_text="Bob")
    expect(bob).to_contain_text("is away")
    bob.get_by_role("button", name="Seat a house bot").click()
    expect(bob).to_contain_text("House Greedy in place of Bob")
    expect(bob.get_by_role("button")).to_have_count(0)


# --- the connection -------------------------------------------------------------------------------


def test_a_lost_request_is_forgotten_when_the_site_answers(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(DESK).page
    key = new_table(page, live_server.url, SHORT)
    open_table(page, live_server.url, key)
    page.evaluate(LOSE_POSTS)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".chip")).to_have_text("connection lost")
    page.evaluate("window.answer()")
    page.get_by_role("button", name="Try now").click()
    expect(page.locator(".chip")).to_have_text("your turn")
    expect(page.locator("[data-part='why']")).to_be_hidden()
    page.evaluate(PENDING_HINTS)
    page.get_by_role("button", name="Hint").click()
    page.wait_for_function("waits.includes(300)")


def test_a_deleted_table_is_gone(live_server: Any, open_tab: OpenTab) -> None:
    tab = open_tab(DESK)
    page = tab.page
    key = new_table(page, live_server.url, SHORT)
    open_table(page, live_server.url, key)
    Table.objects.all().delete()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".p-bar .say")).to_have_text("This table is gone.")
    expect(page.locator(".chip")).to_have_text("gone")
    page.get_by_role("link", name="All tables", exact=True).last.click()
    expect(page.get_by_role("button", name="Deal the cards")).to_be_visible()
    tab.complaints.clear()  # the browser's own complaint about the 404


def test_a_comparison_that_no_host_makes_is_requested_less_and_less(
    live_server: Any, open_tab: OpenTab
) -> None:
    page = open_tab(DESK).page
    table = finished_table(session_guest(page, live_server.url))
    page.add_init_script(NOTE_WAITS)
    page.goto(f"{live_server.url}/play/{table.key}/comparison/1/")
    assert page.evaluate("waits") == [3_000]
    page.reload()
    assert page.evaluate("waits") == [4_500]


def test_an_overtaken_state_is_ignored(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    page.goto(f"{live_server.url}/games/")
    assert page.evaluate(TAKE_STATES) == [2, 3, 5]
    assert page.evaluate(UNCHANGED_WAITS) == [500, 50], "a busy site is polled less often"


def test_a_table_that_cannot_be_drawn_says_so(live_server: Any, open_tab: OpenTab) -> None:
    tab = open_tab(PHONE)
    page = tab.page
    key = new_table(page, live_server.url, SHORT)
    page.route("**/board/games/cassino*.js", lambda route: route.abort())
    page.goto(f"{live_server.url}/play/{key}/")
    expect(page.get_by_role("alert")).to_contain_text("The table could not be loaded.")
    tab.complaints.clear()  # the browser's own complaint about the script
