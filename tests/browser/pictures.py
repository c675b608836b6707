"""Take pictures of pages for the documents: `python -m tests.browser.pictures ADDRESS`.

ADDRESS is the address of a site with the demo. For each page, the first screen is taken on a desk
and on a phone, and stored in `docs/images/`.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import launch

IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"
SIZES: Final = {"desk": (1440, 900), "phone": (390, 844)}
PAGES: Final = {
    "home": "/",
    "play": "/play/",
    "tournaments": "/tournaments/",
    "tournament": "/tournaments/house-match/",
    "match": "/matches/3/#move-30",
    "why": "/matches/{match}/#analysis",
    "moves": "/matches/{match}/positions/40/",
    "bots": "/bots/",
    "bot": "/bots/house-greedy/",
    "ratings": "/ratings/",
    "game": "/games/cassino/",
    "search": "/search/?q=ca",
}
MAX_MATCHES: Final = 100
"""More than the matches of the demo's first tournament."""
MAX_STEPS: Final = 400
"""Limit of steps at a table until its deal is over."""
TAKE_STEP: Final = """() => {
  const one = selector => document.querySelector(selector)
  if (one('[data-do="another"]')) return true
  const choice = one('[data-do="play"]:not(:disabled)')
    ?? one('.felt .lit, [data-do="pick"], [data-do="do"]') ?? one('[data-do="again"]')
  choice?.click()
  return false
}"""
"""Take a step at a table; return whether the match is over."""


def main(address: str) -> None:
    """Take all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        if chromium is None:
            sys.exit("There is no Chromium on this machine. `make lint` installs one.")
        for size in SIZES:
            page = _new_page(chromium, size)
            match = _analysed_match(page, address)
            for name, path in PAGES.items():
                page.goto(address + path.format(match=match))
                if "#analysis" in path:  # the replay above it grows while it is drawn
                    page.locator("#analysis").scroll_into_view_if_needed()
                _save_picture(page, f"{name}-{size}")
            _take_table_pictures(page, address, size)
        chromium.close()


def _new_page(chromium: Browser, size: str) -> Page:
    width, height = SIZES[size]
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        has_touch=size == "phone",
        reduced_motion="reduce",
    )
    return context.new_page()


def _analysed_match(page: Page, address: str) -> int:
    """A match with a finished analysis; the demo has a few."""
    for match in range(1, MAX_MATCHES):
        response = page.request.get(f"{address}/api/v1/matches/{match}/analysis/")
        if response.ok and response.json()["state"] == "finished":
            return match
    raise LookupError("No match of the demo has been analysed yet: wait for its workers.")


def _take_table_pictures(page: Page, address: str, size: str) -> None:
    """Take pictures of a deal of Cassino: in play, at its end, and its comparison."""
    page.goto(f"{address}/play/")
    page.locator(".tile", has_text="Cassino").click()
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".play.ready").wait_for()
    page.wait_for_timeout(2_000)
    page.locator(".hand .lit").first.click()
    _save_picture(page, f"table-{size}")
    for _ in range(MAX_STEPS):
        if page.evaluate(TAKE_STEP):
            break
        page.wait_for_timeout(300)
    _save_picture(page, f"after-{size}")
    page.goto(f"{page.url.split('?')[0]}comparison/1/")
    page.wait_for_timeout(8_000)  # workers play the deal again
    page.reload()
    _save_picture(page, f"comparison-{size}")


def _save_picture(page: Page, name: str) -> None:
    page.wait_for_timeout(1_000)  # scripts draw the tables
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").save(IMAGES / f"{name}.webp", quality=82, method=6)
    print(name)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
