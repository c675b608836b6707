"""A real browser, and pages that record console errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect, sync_playwright

from cardroom_tables import host, match_cache
from cardroom_tables.actions import tables
from tests.browser.chromium import launch
from tests.play.hall import Bots

PATIENCE_MS = 60_000
"""Milliseconds to wait for required events; only a broken page takes as long."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium.

    Playwright's event loop stays in this thread to the end of the run, so Django must be
    configured, for all later tests, to allow use of its database.
    """
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        if chromium is None:
            pytest.skip("there is no Chromium")
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _plain_site(browser: Browser, settings: Any) -> None:
    """Serve static files uncollected. The browser must start before the database."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


class Watched:
    """A page that records its console, including errors and policy violations."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda said: self.note(said.type, said.text))
        page.on("pageerror", lambda error: self.note("error", str(error)))

    def note(self, kind: str, text: str) -> None:
        """Record warnings and errors."""
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """A new page of 1280 × 900, in light colours; the test fails if it records a complaint."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    found = Watched(context.new_page())
    yield found
    context.close()
    assert not found.complaints


@pytest.fixture
def quick_bots(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bots at people's tables without processes, played by the test; the cards are always equal."""
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    match_cache.forget()
    made = Bots()
    monkeypatch.setattr(host, "sandbox", lambda: made)
    monkeypatch.setattr(tables, "new_seed", lambda: "07" * 16)
    yield
    host.close()


Opened = Callable[..., Watched]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Opens pages of a size, each with its own session; the test fails if one has a complaint.

    Further arguments configure the context; by default, motion is reduced (``reduced_motion``).
    """
    contexts = []
    pages: list[Watched] = []

    def open_(size: dict[str, int], **more: Any) -> Watched:
        fixed = {"has_touch": size["width"] < 1100, "reduced_motion": "reduce"}
        context = browser.new_context(viewport=size, **fixed | more)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        pages.append(Watched(context.new_page()))
        return pages[-1]

    yield open_
    for context in contexts:
        context.close()
    assert [said for page in pages for said in page.complaints] == []
