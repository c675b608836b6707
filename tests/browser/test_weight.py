"""The files that a browser loads: few, small, and the viewer's modules in parallel."""

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

MAX_REQUESTS = 15
MAX_BYTES = 100_000
LOADED_FILES = """() => [...performance.getEntriesByType('resource'),
    ...performance.getEntriesByType('navigation')]
  .filter(e => e.startTime < performance.getEntriesByType('navigation')[0].loadEventStart
    && !e.name.startsWith('data:'))
  .map(e => [e.name, e.encodedBodySize])"""

FETCHED_MODULES = """() => performance.getEntriesByType('resource')
  .map(e => new URL(e.name).pathname).filter(name => /cardroom.*\\.js$/.test(name))"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser with an empty cache."""
    with browser.new_context() as context:
        yield context.new_page()


def weight(address: str, size: int) -> int:
    """Bytes of a response. Static files are uncompressed in tests, but compressed on a site."""
    _, _, name = address.partition("/static/")
    path = name and finders.find(name)
    return len(gzip.compress(Path(path).read_bytes())) if path else size


def test_the_first_page_is_light(live_server: Any, page: Page) -> None:
    finished.match(finished.play("cassino/standard/2v2?deals=1"))
    page.goto(f"{live_server.url}/", wait_until="load")
    files = page.evaluate(LOADED_FILES)
    assert len(files) <= MAX_REQUESTS, files
    assert sum(weight(name, size) for name, size in files) <= MAX_BYTES, files
    expect(page.locator("[data-watch] [data-frame]")).to_have_count(1)  # it is loaded afterwards


def test_a_running_match_adds_no_requests_to_the_first_page(live_server: Any, page: Page) -> None:
    record = finished.play("cassino/standard/2v2?deals=1")
    attempt = running_attempt(record)
    models.Tournament.objects.update(live_delay=0)
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, record.moves[:20])
    page.goto(f"{live_server.url}/", wait_until="load")
    assert len(page.evaluate(LOADED_FILES)) <= MAX_REQUESTS
    expect(page.locator("[data-live] [data-frame]")).to_have_count(1)


def test_modules_are_all_preloaded_once(live_server: Any, page: Page) -> None:
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    table = hall.finished_table()
    site = live_server.url
    for address, selector in (
        (f"{site}/matches/{match.pk}/", READY),
        (f"{site}/embed/matches/{match.pk}/", READY),
        (f"{site}/play/{table.key}/replay/", READY),
        (f"{site}/play/{table.key}/", "[data-part=felt] .card"),
        (f"{site}/play/", "[data-part=form-list] > *"),
    ):
        page.goto(address)
        expect(page.locator(selector).first).to_be_visible()
        fetched_modules = page.evaluate(FETCHED_MODULES)
        listed_modules = page.locator(
            "link[rel=modulepreload], script[type=module][src]"
        ).evaluate_all("found => found.map(it => new URL(it.href ?? it.src, location).pathname)")
        assert sorted(fetched_modules) == sorted(listed_modules), (
            address
        )  # all are listed, and each is loaded once
