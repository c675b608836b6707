"""The browser for tests and pictures of pages."""

from __future__ import annotations

import os
from shutil import which
from typing import Final

from playwright.sync_api import Browser, Playwright

_NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""As in `scripts/setup.sh`. The first has no windows; the others take twice the time."""


def launch(playwright: Playwright) -> Browser | None:
    """The machine's browser, else Playwright's own; None if there is neither.

    Run by root, it starts without its own sandbox. Pages of one site share a process, because
    starting a process costs as much as loading a page.
    """
    names = (os.environ.get("CARDROOM_CHROMIUM", ""), *_NAMES)
    path = next(filter(None, map(which, names)), None)
    if path is None and which(playwright.chromium.executable_path) is None:
        return None
    flags = ["--process-per-site", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return playwright.chromium.launch(executable_path=path, args=flags)
