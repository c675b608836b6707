"""Tables whose moves a test makes from outside, while a browser looks at them."""

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

MOST = 4_000
SessionStore = import_module(settings.SESSION_ENGINE).SessionStore
_PLAYED = """async ([n, move]) => {
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1]
  const headers = { 'Content-Type': 'application/json', 'X-CSRFToken': token }
  const { pathname } = location
  await fetch(`${pathname}move/`, { method: 'POST', headers, body: JSON.stringify({ n, move }) })
  new BroadcastChannel(`cardroom.table.${pathname}`).postMessage(0)
}"""


def guest(page: Page, site: str) -> Person:
    """The guest of the page's session, which is stored here if the browser has none."""
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


def table_of(page: Page, site: str, text: str, bot: str = "house:random") -> str:
    """Create a table of the page's guest with these bots; returns its key.

    It needs no page, because loading *Play* takes longer than most tests.
    """
    bots = [SeatChoice("bot", bot)] * (Format.parse(text).seats - 1)
    return create_table(guest(page, site), text, [SeatChoice("you"), *bots]).key


def advance(key: str, until: Callable[[Table], bool], rng: Random | None = None) -> None:
    """Play at random for the person and the bots until the table is so, or over."""
    rng = rng or Random(1)
    for _ in range(MOST):
        play_bots()
        table = Table.objects.get(key=key)
        if table.over or until(table):
            return
        seat = next(each for each in seats_of(table) if each.kind == TableSeat.Kind.PERSON)
        match = position_of(table)
        if match.turn == seat.index:
            who = Person(guest=seat.guest)
            moves.play_move(table, who, table.moves, rng.choice(match.legal_moves()))


def to_the_last_moves(key: str, left: int, rng_seed: int = 1) -> None:
    """Play the first deal until no more than about so many moves of it are left."""
    trial = _length(key, rng_seed)
    advance(
        key, lambda table: table.moves >= trial - left and not table.bots_turn, Random(rng_seed)
    )


def _length(key: str, rng_seed: int) -> int:
    """How many moves random play gives a deal of this table, about."""
    match, rng = position_of(Table.objects.get(key=key)).copy(), Random(rng_seed)
    while match.turn is not None and not match.deals_since(0):
        match.play(rng.choice(match.legal_moves()))
    return len(match.moves)


def open_table(page: Page, site: str, key: str) -> None:
    """The page of a table, ready."""
    page.goto(f"{site}/play/{key}/")
    page.locator(".play.ready").wait_for()


def play_as_person(page: Page, move: str | None = None, rng: Random | None = None) -> str:
    """A move of the person, sent as another tab of the same browser would; the move."""
    key = page.url.rstrip("/").rpartition("/")[2]
    table = Table.objects.get(key=key)
    chosen = move or (rng or Random(2)).choice(position_of(table).legal_moves())
    page.evaluate(_PLAYED, [table.moves, chosen])
    return chosen
