"""A real browser, and tabs that record console errors."""

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

MAX_WAIT_MS = 60_000
"""Milliseconds to wait for required events; only broken pages reach this limit."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium.

    Playwright's event loop stays in this thread to the end of the run, so Django must allow all
    later tests to use its database there.
    """
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    expect.set_options(timeout=MAX_WAIT_MS)
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        if chromium is None:
            pytest.skip("there is no Chromium")
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _uncollected_files(browser: Browser, settings: Any) -> None:
    """Serve static files uncollected. The browser must start before the database."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


class Tab:
    """A browser tab that records its page's console, including errors and policy violations."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda message: self.note(message.type, message.text))
        page.on("pageerror", lambda error: self.note("error", str(error)))

    def note(self, kind: str, text: str) -> None:
        """Record warnings and errors."""
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")


_MEDIA = ("color_scheme", "reduced_motion", "forced_colors")
"""Options that can be set for a single page."""


class Contexts:
    """Browser contexts, reused by one test after the other.

    A context keeps its cache of files and its process, which a page of the site holds: a page in a
    new context needs three times the processor time. Cookies and stored settings are deleted.
    """

    def __init__(self, browser: Browser, site: str) -> None:
        self._browser = browser
        self._site = site
        self._free: dict[str, list[BrowserContext]] = defaultdict(list)

    @contextmanager
    def page(self, size: dict[str, int], **options: Any) -> Iterator[Page]:
        """A page of a size, in a context that no other page uses at the same time."""
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
        context.set_default_timeout(MAX_WAIT_MS)
        context.new_page().goto(f"{self._site}/healthz")
        return context

    def _clean(self, context: BrowserContext) -> None:
        kept_page, *pages = context.pages
        for page in pages:
            page.close()
        context.clear_cookies()
        data = {"origin": self._site, "storageTypes": "local_storage"}
        session = context.new_cdp_session(kept_page)
        session.send("Storage.clearDataForOrigin", data)
        session.detach()


@pytest.fixture(scope="session")
def contexts(browser: Browser, live_server: Any) -> Contexts:
    """Browser contexts of this run."""
    return Contexts(browser, live_server.url)


OpenTab = Callable[..., Tab]


@pytest.fixture
def open_tab(contexts: Contexts) -> Iterator[OpenTab]:
    """Opens tabs of a size, each with its own session; the test fails if one has a complaint.

    Further arguments configure the context; by default, motion is reduced (``reduced_motion``).
    """
    pages: list[Tab] = []
    with ExitStack() as stack:

        def open_(size: dict[str, int], **options: Any) -> Tab:
            fixed = {"has_touch": size["width"] < 1100, "reduced_motion": "reduce"}
            page = stack.enter_context(contexts.page(size, **fixed | options))
            pages.append(Tab(page))
            return pages[-1]

        yield open_
    assert [complaint for page in pages for complaint in page.complaints] == []


@pytest.fixture
def tab(open_tab: OpenTab) -> Tab:
    """A new tab of 1280 × 900, in light colours; the test fails if it records a complaint."""
    size = {"width": 1280, "height": 900}
    return open_tab(size, reduced_motion="no-preference", color_scheme="light")


@pytest.fixture
def quick_bots(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bots at people's tables, run by the test without processes; the cards are always the same."""
    settings.WORKERS_ELSEWHERE = True
    cache.clear()
    match_cache.clear()
    bots = Bots()
    monkeypatch.setattr(host, "shared_sandbox", lambda: bots)
    monkeypatch.setattr(tables, "new_seed", lambda: "07" * 16)
    yield
    host.close()
