"""The browser that pages are tested and pictured in."""

from __future__ import annotations

import os
from shutil import which
from typing import Final

from playwright.sync_api import Browser, Playwright

_NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""As `scripts/setup.sh` has them. The first has no windows: the others need twice the time."""


def launch(playwright: Playwright) -> Browser | None:
    """The machine's browser, else Playwright's own; None if there is neither.

    As root it has no sandbox of its own to drop into. Pages of one site share a process, because
    starting one costs as much as loading a page.
    """
    names = (os.environ.get("CARDROOM_CHROMIUM", ""), *_NAMES)
    found = next(filter(None, map(which, names)), None)
    if found is None and which(playwright.chromium.executable_path) is None:
        return None
    flags = ["--process-per-site", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return playwright.chromium.launch(executable_path=found, args=flags)
