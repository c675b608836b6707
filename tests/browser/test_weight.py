"""What a browser loads: few files, few bytes, and the viewer's modules all at once."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_replay import READY
from tests.pages import finished
from tests.pages.test_live import running_attempt
from tests.play import hall
from tournaments import models
from tournaments.actions import live_moves

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

REQUESTS = 15
BYTES = 100_000
LOADED = """() => [...performance.getEntriesByType('resource'),
    ...performance.getEntriesByType('navigation')]
  .filter(e => e.startTime < performance.getEntriesByType('navigation')[0].loadEventStart
    && !e.name.startsWith('data:'))
  .map(e => [e.name, e.encodedBodySize])"""

FETCHED = """() => performance.getEntriesByType('resource')
  .map(e => new URL(e.name).pathname).filter(name => /cardroom.*\\.js$/.test(name))"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser that has nothing of the site in its cache."""
    with browser.new_context() as context:
        yield context.new_page()


def weight(address: str, size: int) -> int:
    """Bytes of an answer. Static files come plain in tests, but compressed from a site."""
    _, _, name = address.partition("/static/")
    path = name and finders.find(name)
    return len(gzip.compress(Path(path).read_bytes())) if path else size


def test_the_first_page_is_light(live_server: Any, page: Page) -> None:
    finished.match(finished.play("cassino/standard/2v2?deals=1"))
    page.goto(f"{live_server.url}/", wait_until="load")
    loaded = page.evaluate(LOADED)
    assert len(loaded) <= REQUESTS, loaded
    assert sum(weight(name, size) for name, size in loaded) <= BYTES, loaded
    expect(page.locator("[data-watch] [data-frame]")).to_have_count(1)  # it comes afterwards


def test_a_running_table_makes_the_first_page_no_heavier(live_server: Any, page: Page) -> None:
    record = finished.play("cassino/standard/2v2?deals=1")
    attempt = running_attempt(record)
    models.Tournament.objects.update(live_delay=0)
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, record.moves[:20])
    page.goto(f"{live_server.url}/", wait_until="load")
    assert len(page.evaluate(LOADED)) <= REQUESTS
    expect(page.locator("[data-live] [data-frame]")).to_have_count(1)


def test_the_modules_of_a_table_do_not_wait_for_each_other(live_server: Any, page: Page) -> None:
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    table = hall.finished()
    site = live_server.url
    for address, drawn in (
        (f"{site}/matches/{match.pk}/", READY),
        (f"{site}/embed/matches/{match.pk}/", READY),
        (f"{site}/play/{table.key}/replay/", READY),
        (f"{site}/play/{table.key}/", "[data-part=felt] .card"),
        (f"{site}/play/", "[data-part=form-list] > *"),
    ):
        page.goto(address)
        expect(page.locator(drawn).first).to_be_visible()
        fetched = page.evaluate(FETCHED)
        named = page.locator("link[rel=modulepreload], script[type=module][src]").evaluate_all(
            "found => found.map(it => new URL(it.href ?? it.src, location).pathname)"
        )
        assert sorted(fetched) == sorted(named), address  # all are named, and each comes once
