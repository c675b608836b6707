"""The analysis in the viewer: marks in the list and on the time line, links that lead to a move."""

from __future__ import annotations

import re
import zlib
from typing import Any

import pytest
from playwright.sync_api import expect

from cardroom.pages.matches import analysis as panels
from cardroom.pages.matches.analysis import panel_of
from engine import Record
from engine.search.analysis import judge, questions
from tests import factories as make
from tests.browser.conftest import Watched
from tests.pages import finished
from tournaments import actions, analysing
from tournaments.actions import analyses
from tournaments.models import Match

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_marks_and_links_lead_to_the_costliest_moves(
    live_server: Any, watched: Watched, settings: Any
) -> None:
    settings.ANALYSIS_PLAYOUTS = 12
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.request_analysis(match, None)
    while analysing.analyse_piece():
        pass
    panel = panel_of(match, ["Kestrel", "Tricoteuse"])
    first = panel.costliest[0]
    page = watched.page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    expect(page.locator(".tl .chance")).to_have_count(1)
    marked = page.locator(".moves .tick.fault").filter(has_text="▼")
    assert marked.count() >= len(panel.costliest)
    page.get_by_role("link", name=first.words).first.click()
    position = page.get_by_role("slider")
    expect(position).to_have_attribute("aria-valuetext", f"deal 1 of 1, move {first.n} of 48")
    told = page.locator(".moves [aria-current] .judged")
    expect(told).to_contain_text(f"{first.kind}, {first.cost.partition(' ')[0]} points.")
    expect(told).to_contain_text("The expert: ")


def _to(match: Match, done: int) -> None:
    """A worker brings the moves up to `done`."""
    begun = analyses.begin_piece()
    assert begun is not None
    record = Record.from_json(zlib.decompress(bytes(begun.record.content)))
    made = [judge(question, 4) for question in questions(record) if question.n < done]
    analyses.store_piece(begun, done, made)


def test_an_analysis_in_the_queue_is_followed_to_its_end(
    live_server: Any, watched: Watched, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ANALYSIS_PLAYOUTS = 4
    monkeypatch.setattr(panels, "POLL_SECONDS", 1)
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.request_analysis(match, make.user("fan"))
    page = watched.page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    expect(page.get_by_text("1st in the queue")).to_be_visible()
    said = page.locator("#analysis [role=status]")
    expect(said).to_be_empty()
    tell = page.get_by_role("button", name="Notify me when it is ready")
    tell.click()
    expect(page.get_by_role("button", name="We will notify you")).to_have_attribute(
        "aria-pressed", "true"
    )
    _to(match, 6)
    expect(page.get_by_text("The expert has analysed 6 of 48 moves")).to_be_visible()
    expect(said).to_be_empty()
    _to(match, 26)
    expect(page.get_by_text("The expert has analysed 26 of 48 moves")).to_be_visible()
    expect(said).to_have_text("Half of the analysis is done.")
    expect(page.get_by_role("button", name="We will notify you")).to_be_visible()
    expect(page.locator(".tl rect.unknown")).to_have_count(1)
    expect(page.get_by_text("so far", exact=True)).to_have_count(3)
    while analysing.analyse_piece():
        pass
    expect(page.get_by_text("The costliest moves", exact=True)).to_be_visible()
    expect(page.locator(".tl rect.unknown")).to_have_count(0)


def test_who_looks_elsewhere_is_told_by_the_title(
    live_server: Any, watched: Watched, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ANALYSIS_PLAYOUTS = 2
    monkeypatch.setattr(panels, "POLL_SECONDS", 1)
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.request_analysis(match, make.user("fan"))
    page = watched.page
    page.add_init_script("Object.defineProperty(document, 'hidden', {get: () => true})")
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    page.get_by_role("button", name="Notify me when it is ready").click()
    while analysing.analyse_piece():
        pass
    expect(page).to_have_title(re.compile("^Ready: "))


def test_a_phone_reaches_the_expert_without_leaving_the_table(
    live_server: Any, watched: Watched, settings: Any
) -> None:
    settings.ANALYSIS_PLAYOUTS = 12
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    page = watched.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/matches/{match.pk}/#move-5")
    page.get_by_role("button", name="Expert").click()
    expert = page.get_by_role("region", name="Expert")
    expect(expert).to_contain_text("This match is not analysed yet.")
    expect(expert.get_by_role("link", name="Analyse")).to_be_visible()
    actions.request_analysis(match, None)
    while analysing.analyse_piece():
        pass
    page.reload()
    page.get_by_role("button", name="Expert").click()
    expert.get_by_role("button", name="Next costly move").click()
    expect(expert).to_contain_text(re.compile(r"points: a (slip|mistake)\."))
    expect(expert.get_by_role("img").first).to_be_visible()
    expect(page.locator(".last")).to_be_visible()
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        cut = "one => one.scrollWidth > one.clientWidth + 1"
        assert not any(one.evaluate(cut) for one in page.locator(".views .btn").all())
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(expert).to_be_hidden()
