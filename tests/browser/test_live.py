"""A running match in a real browser: it advances, hides hands, and ends as a replay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cardroom import live
from cardroom_base.db.db_time import Now
from engine import Record
from tests.browser.conftest import Tab
from tests.pages import finished
from tests.pages.test_live import running_attempt
from tournaments import models
from tournaments.actions import live_moves

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FACES = "[data-hand] .card[data-card]"
FORMS = (
    "cassino/standard/2v2?target=11",
    "canasta/classic/2v2?target=500",
    "spoon-eye/standard/ffa3?target=20",
    "zwicker/christiansen/1v1?deals=2&target=0",
    "paks/standard/2v2?target=50",
)


@pytest.fixture(autouse=True)
def _uncached(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(live, "POLL_SECONDS", 0.0)
    live.clear()
    yield
    live.clear()


def open_running_match(live_server: Any, tab: Tab, record: Record, moves: int) -> models.Attempt:
    """Open the page of a running match of which `moves` moves are public."""
    attempt = running_attempt(record)
    models.Tournament.objects.update(live_delay=0)
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, record.moves[:moves])
    tab.page.goto(f"{live_server.url}/matches/{attempt.match_id}/")
    expect(tab.page.locator(".moves [aria-current]")).to_be_visible()
    return attempt


def frame_shown(page: Page) -> int:
    return int(page.locator("[data-part=board] [data-frame]").get_attribute("data-frame") or -1)


@pytest.mark.parametrize("form", FORMS)
def test_hands_stay_closed_in_each_position(live_server: Any, tab: Tab, form: str) -> None:
    record = finished.play(form)
    open_running_match(live_server, tab, record, min(60, len(record.moves) - 1))
    page = tab.page
    for _ in range(frame_shown(page)):
        expect(page.locator(FACES)).to_have_count(0)
        assert page.locator("[data-hand] .card").count() or page.locator(".fan.bare").count()
        page.keyboard.press("ArrowLeft")
    assert frame_shown(page) == 0


def test_the_page_follows_the_match_and_ends_as_a_replay(live_server: Any, tab: Tab) -> None:
    record = finished.play(FORMS[0])
    attempt = open_running_match(live_server, tab, record, 20)
    page = tab.page
    expect(page.locator("[data-part=position]")).to_have_text("deal 1, move 20")
    live_moves.append_moves(attempt.pk, attempt.match_id, 20, record.moves[20:23])
    expect(page.locator("[data-part=position]")).to_have_text("deal 1, move 23")
    page.get_by_role("button", name="Previous move").click()
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    models.Attempt.objects.update(outcome="stored")
    match = models.Match.objects.get(pk=attempt.match_id)
    finished._store(match, record)
    models.Match.objects.update(state="finished")
    expect(page.locator("[data-replay].ready")).to_be_visible(timeout=20_000)
    assert page.url.endswith("#move-22")


def test_home_and_overview_draw_the_running_match(live_server: Any, tab: Tab) -> None:
    record = finished.play(FORMS[0])
    attempt = running_attempt(record)
    models.Tournament.objects.update(live_delay=0)
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, record.moves[:20])
    page, site = tab.page, live_server.url
    table = page.locator(".livec [data-frame]")
    for address in ("/", f"/tournaments/{attempt.match.tournament.slug}/"):
        page.goto(site + address)
        expect(table).to_be_visible()
        expect(page.locator(".livec").get_by_role("button", name="Follow")).to_be_visible()
    models.Attempt.objects.update(outcome="stored")
    finished._store(attempt.match, record)
    models.Match.objects.update(state="finished", finished=Now())
    for address in ("/", f"/tournaments/{attempt.match.tournament.slug}/"):
        page.goto(site + address)
        expect(table).to_be_visible()
        expect(page.locator(".livec .last")).to_have_text(re.compile(r"\.$"))
        expect(page.locator(".livec button")).to_have_count(0)
