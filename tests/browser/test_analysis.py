"""The analysis in the viewer: marks in the list and on the time line, links to moves."""

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
from tests.browser.conftest import Tab
from tests.pages import finished
from tournaments import actions, analysing
from tournaments.actions import analyses
from tournaments.models import Match

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_marks_and_links_lead_to_the_costliest_moves(
    live_server: Any, tab: Tab, settings: Any
) -> None:
    settings.ANALYSIS_PLAYOUTS = 12
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.request_analysis(match, None)
    while analysing.analyse_piece():
        pass
    panel = panel_of(match, ["Kestrel", "Tricoteuse"])
    costliest = panel.costliest[0]
    page = tab.page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    expect(page.locator(".tl .chance")).to_have_count(1)
    marks = page.locator(".moves .tick.fault").filter(has_text="▼")
    assert marks.count() >= len(panel.costliest)
    page.get_by_role("link", name=costliest.words).first.click()
    position = page.get_by_role("slider")
    expect(position).to_have_attribute("aria-valuetext", f"deal 1 of 1, move {costliest.n} of 48")
    judgement = page.locator(".moves [aria-current] .judged")
    expect(judgement).to_contain_text(
        f"{costliest.kind}, {costliest.cost.partition(' ')[0]} points."
    )
    expect(judgement).to_contain_text("The expert: ")


def _analyse_to(match: Match, moves: int) -> None:
    """Analyse the first `moves` moves, as a worker would."""
    analysis = analyses.begin_piece()
    assert analysis is not None
    record = Record.from_json(zlib.decompress(bytes(analysis.record.content)))
    judgements = [judge(question, 4) for question in questions(record) if question.n < moves]
    analyses.store_piece(analysis, moves, judgements)


def test_the_panel_follows_an_analysis_to_its_end(
    live_server: Any, tab: Tab, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ANALYSIS_PLAYOUTS = 4
    monkeypatch.setattr(panels, "POLL_SECONDS", 1)
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.request_analysis(match, make.user("fan"))
    page = tab.page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    expect(page.get_by_text("1st in the queue")).to_be_visible()
    status = page.locator("#analysis [role=status]")
    expect(status).to_be_empty()
    button = page.get_by_role("button", name="Notify me when it is ready")
    button.click()
    expect(page.get_by_role("button", name="We will notify you")).to_have_attribute(
        "aria-pressed", "true"
    )
    _analyse_to(match, 6)
    expect(page.get_by_text("The expert has analysed 6 of 48 moves")).to_be_visible()
    expect(status).to_be_empty()
    _analyse_to(match, 26)
    expect(page.get_by_text("The expert has analysed 26 of 48 moves")).to_be_visible()
    expect(status).to_have_text("Half of the analysis is done.")
    expect(page.get_by_role("button", name="We will notify you")).to_be_visible()
    expect(page.locator(".tl rect.unknown")).to_have_count(1)
    expect(page.get_by_text("so far", exact=True)).to_have_count(3)
    while analysing.analyse_piece():
        pass
    expect(page.get_by_text("The costliest moves", exact=True)).to_be_visible()
    expect(page.locator(".tl rect.unknown")).to_have_count(0)


def test_a_hidden_tab_announces_the_analysis_in_its_title(
    live_server: Any, tab: Tab, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ANALYSIS_PLAYOUTS = 2
    monkeypatch.setattr(panels, "POLL_SECONDS", 1)
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    actions.request_analysis(match, make.user("fan"))
    page = tab.page
    page.add_init_script("Object.defineProperty(document, 'hidden', {get: () => true})")
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    page.get_by_role("button", name="Notify me when it is ready").click()
    while analysing.analyse_piece():
        pass
    expect(page).to_have_title(re.compile("^Ready: "))


def test_a_phone_shows_the_expert_beside_the_table(
    live_server: Any, tab: Tab, settings: Any
) -> None:
    settings.ANALYSIS_PLAYOUTS = 12
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/matches/{match.pk}/#move-5")
    page.get_by_role("button", name="Expert").click()
    expert = page.get_by_role("region", name="Expert")
    expect(expert).to_contain_text("This match has not been analysed yet.")
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
