"""Tables that a test creates and plays on the server while a browser shows them."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from importlib import import_module
from random import Random

from django.conf import settings
from playwright.sync_api import Page

from cardroom.pages.common.guests import SESSION_KEY
from cardroom_tables.actions import moves
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.guests import Person, hash_secret
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import Table, TableSeat
from cardroom_tables.reading import seats_of
from engine import Format
from tests.play.hall import play_bots

MAX_MOVES = 4_000
SessionStore = import_module(settings.SESSION_ENGINE).SessionStore
_SEND_MOVE = """async ([n, move]) => {
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1]
  const headers = { 'Content-Type': 'application/json', 'X-CSRFToken': token }
  const { pathname } = location
  await fetch(`${pathname}move/`, { method: 'POST', headers, body: JSON.stringify({ n, move }) })
  new BroadcastChannel(`cardroom.table.${pathname}`).postMessage(0)
}"""


def session_guest(page: Page, site: str) -> Person:
    """The guest of the page's session; creates a session if the browser has none."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies(site)}
    session = SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
    if (secret := session.get(SESSION_KEY)) is None:
        secret = session[SESSION_KEY] = secrets.token_urlsafe(18)
        session.save()
        key = session.session_key
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": site}]
        )
    return Person(guest=hash_secret(secret), address="127.0.0.1")


def new_table(page: Page, site: str, text: str, bot: str = "house:random") -> str:
    """Create a table of the page's guest with bots; return its key.

    It does not load *Play*, which takes longer than most tests.
    """
    bots = [SeatChoice("bot", bot)] * (Format.parse(text).seats - 1)
    return create_table(session_guest(page, site), text, [SeatChoice("you"), *bots]).key


def advance(key: str, until: Callable[[Table], bool], rng: Random | None = None) -> None:
    """Play random moves for person and bots until a condition holds or the table is over."""
    rng = rng or Random(1)
    for _ in range(MAX_MOVES):
        play_bots()
        table = Table.objects.get(key=key)
        if table.over or until(table):
            return
        seat = next(seat for seat in seats_of(table) if seat.kind == TableSeat.Kind.PERSON)
        match = position_of(table)
        if match.turn == seat.index:
            person = Person(guest=seat.guest)
            moves.play_move(table, person, table.moves, rng.choice(match.legal_moves()))


def advance_to_last_moves(key: str, moves_left: int, rng_seed: int = 1) -> None:
    """Play the first deal until about `moves_left` moves of it are left."""
    trial = _deal_length(key, rng_seed)
    advance(
        key,
        lambda table: table.moves >= trial - moves_left and not table.bots_turn,
        Random(rng_seed),
    )


def _deal_length(key: str, rng_seed: int) -> int:
    """About the number of moves in a deal of this table with random play."""
    match, rng = position_of(Table.objects.get(key=key)).copy(), Random(rng_seed)
    while match.turn is not None and not match.deals_since(0):
        match.play(rng.choice(match.legal_moves()))
    return len(match.moves)


def open_table(page: Page, site: str, key: str) -> None:
    """Open the page of a table and wait until it is ready."""
    page.goto(f"{site}/play/{key}/")
    page.locator(".play.ready").wait_for()


def play_as_person(page: Page, move: str | None = None, rng: Random | None = None) -> str:
    """Send a move of the person as another tab of the same browser would; return the move."""
    key = page.url.rstrip("/").rpartition("/")[2]
    table = Table.objects.get(key=key)
    choice = move or (rng or Random(2)).choice(position_of(table).legal_moves())
    page.evaluate(_SEND_MOVE, [table.moves, choice])
    return choice
