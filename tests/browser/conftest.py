"""A real browser, and pages that record console errors."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

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


_MEDIA = ("color_scheme", "reduced_motion", "forced_colors")
"""Options that can also be set for a single page."""


class Contexts:
    """Browser contexts that tests use one after the other.

    A context keeps its cache of files, and a page of the site that holds its process: a page in a
    new context needs three times the processor time. Cookies and stored settings go.
    """

    def __init__(self, browser: Browser, site: str) -> None:
        self._browser = browser
        self._site = site
        self._free: dict[str, list[BrowserContext]] = defaultdict(list)

    @contextmanager
    def page(self, size: dict[str, int], **options: Any) -> Iterator[Page]:
        """A page of a size, in a context that nobody else uses meanwhile."""
        media = {name: options.pop(name) for name in _MEDIA if name in options}
        free = self._free[repr(sorted(options.items()))]
        context = free.pop() if free else self._start(options)
        page = context.new_page()
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.emulate_media(**media)
        yield page
        self._clean(context)
        free.append(context)

    def _start(self, options: dict[str, Any]) -> BrowserContext:
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        context.new_page().goto(f"{self._site}/healthz")
        return context

    def _clean(self, context: BrowserContext) -> None:
        first, *pages = context.pages
        for page in pages:
            page.close()
        context.clear_cookies()
        stored = {"origin": self._site, "storageTypes": "local_storage"}
        session = context.new_cdp_session(first)
        session.send("Storage.clearDataForOrigin", stored)
        session.detach()


@pytest.fixture(scope="session")
def contexts(browser: Browser, live_server: Any) -> Contexts:
    """Browser contexts of this run."""
    return Contexts(browser, live_server.url)


Opened = Callable[..., Watched]


@pytest.fixture
def opened(contexts: Contexts) -> Iterator[Opened]:
    """Opens pages of a size, each with its own session; the test fails if one has a complaint.

    Further arguments configure the context; by default, motion is reduced (``reduced_motion``).
    """
    pages: list[Watched] = []
    with ExitStack() as stack:

        def open_(size: dict[str, int], **options: Any) -> Watched:
            fixed = {"has_touch": size["width"] < 1100, "reduced_motion": "reduce"}
            page = stack.enter_context(contexts.page(size, **fixed | options))
            pages.append(Watched(page))
            return pages[-1]

        yield open_
    assert [complaint for page in pages for complaint in page.complaints] == []


@pytest.fixture
def watched(opened: Opened) -> Watched:
    """A new page of 1280 × 900, in light colours; the test fails if it records a complaint."""
    size = {"width": 1280, "height": 900}
    return opened(size, reduced_motion="no-preference", color_scheme="light")


@pytest.fixture
def quick_bots(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bots at people's tables without processes, played by the test; the cards are always equal."""
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    match_cache.clear()
    made = Bots()
    monkeypatch.setattr(host, "shared_sandbox", lambda: made)
    monkeypatch.setattr(tables, "new_seed", lambda: "07" * 16)
    yield
    host.close()
