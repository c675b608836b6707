"""A real browser, and a page that remembers every complaint."""

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
"""How long to wait for what must come: only a broken page takes as long, however slow the machine.
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium.

    Playwright's event loop stays in this thread to the end of the run, so Django must be told, for
    all tests from here on, that its database may be used all the same.
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
    """Static files as they lie. The browser comes first, before the database."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


class Watched:
    """A page with what its console said; errors and violations of the policy come there too."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda said: self.note(said.type, said.text))
        page.on("pageerror", lambda error: self.note("error", str(error)))

    def note(self, kind: str, text: str) -> None:
        """Keep warnings and errors."""
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """A fresh page of 1280 × 900, light; the test fails if the console complained."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    found = Watched(context.new_page())
    yield found
    context.close()
    assert not found.complaints


@pytest.fixture
def quick_bots(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bots at people's tables without processes: the test has them play. Always the same cards."""
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
    """Opens browsers of a size, each with a session of its own; the test fails if one complained.

    Motion is reduced unless ``reduced_motion`` says otherwise, or whatever else a context takes.
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
