"""The goal on the felt, buttons that name their moves, hints, combined melds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cardroom_tables.actions import hints, tables
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import Hint
from engine import Match
from engine.move_options import decide
from tests.browser.conftest import OpenTab
from tests.browser.tables import DESK, GAMES, PHONE, SCROLLS, await_turn, start_table

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
SMALL_PHONE = {"width": 320, "height": 640}
VERBS = re.compile(
    "Add|Ask|Build|Discard|Draw|End|Leave|Make|Meld|Move|Pass|Put|Say|Show|Steal|Take"
)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_goal_score_and_needs_are_on_the_felt(
    live_server: Any, open_tab: OpenTab, game: str, size: dict[str, int]
) -> None:
    page = open_tab(size).page
    start_table(page, live_server.url, game)
    await_turn(page)
    goal = page.locator(".felt .goal")
    expect(goal).to_be_in_viewport()
    expect(goal).to_contain_text("Goal")
    expect(goal).to_contain_text("in this one deal")
    assert "to 21" not in (page.locator(".felt").text_content() or "")
    rows = page.evaluate(
        "new Set([...document.querySelectorAll('.felt .needs > li')].filter(e =>"
        " e.checkVisibility()).map(e => Math.round(e.getBoundingClientRect().top))).size"
    )
    assert rows <= 3
    assert page.evaluate(SCROLLS)[0] is False


@pytest.mark.parametrize("game", GAMES)
def test_the_button_names_the_move_and_the_line_its_effect(
    live_server: Any, open_tab: OpenTab, game: str
) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, game)
    await_turn(page)
    page.locator("summary", has_text="move").first.click()
    offers = page.locator('[data-do="offer"]')
    for number in range(min(6, offers.count())):
        sentence = offers.nth(number).text_content() or ""
        offers.nth(number).click()
        button = page.locator('[data-do="play"] > span').first
        assert VERBS.match(button.text_content() or ""), button.text_content()
        line = page.locator(".p-bar .say").text_content() or ""
        assert line
        assert line != sentence


def _seed_where(text: str, predicate: Callable[[Match], bool]) -> str:
    """A seed with which the person's first turn fulfils the predicate."""
    for number in range(400):
        seed = f"{number:032x}"
        match = Match(text, seed=seed)
        if match.turn == 0 and predicate(match):
            return seed
    raise AssertionError(f"no such cards at {text}")


def test_points_decided_by_a_move_are_highlighted(
    live_server: Any, open_tab: OpenTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes = lambda match: any("x" in move for move in match.legal_moves())  # noqa: E731
    seed = _seed_where("cassino/standard/1v1?deals=1", takes)
    monkeypatch.setattr(tables, "new_seed", lambda: seed)
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    page.locator("summary", has_text="legal moves").click()
    page.locator('[data-do="offer"]', has_text="takes").first.click()
    expect(page.locator(".felt .needs .hot")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".felt .needs .hot")).to_have_count(0)


# ── Canasta ──────────────────────────────────────────────────────────────────────────────────────


def _has_four_equal(match: Match) -> bool:
    """Whether four equal cards can be melded after the draw."""
    match.play("draw")
    combined = decide(match, 0).combined
    return any(len(offer.after) == 1 and len(set(offer.parts)) == 2 for offer in combined)


@pytest.fixture
def canasta(live_server: Any, open_tab: OpenTab, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A table of Canasta at which the person holds at least four equal cards."""
    seed = _seed_where("canasta/classic/1v1?deals=1", _has_four_equal)
    monkeypatch.setattr(tables, "new_seed", lambda: seed)
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Canasta")
    return page


def test_one_button_melds_four_equal_cards(canasta: Page) -> None:
    page = canasta
    if page.locator('[data-do="play"]:not(:disabled)').count():
        page.locator('[data-do="play"]').click()
    else:
        page.locator('.felt [data-path="stock"]').click()
        page.locator('[data-do="play"]:not(:disabled)').click()
    page.locator(".stepper .now", has_text="meld").wait_for()
    expect(page.locator(".p-bar .say")).to_contain_text("or pick one card to discard")
    expect(page.locator(".felt .needs")).to_contain_text("First meld: at least")
    faces = page.locator(".hand .card").evaluate_all("all => all.map(one => one.dataset.card)")
    ranks = [face[0] for face in faces if face[0] not in "X23"]
    rank = next(one for one in ranks if ranks.count(one) >= 4)
    cards = [index for index, face in enumerate(faces) if face[0] == rank][:4]
    for index in cards:
        page.locator(f'.hand [data-path="hand.{index}"]').click()
        expect(page.locator(".felt .meter b")).to_contain_text(" of ")
    page.locator('[data-do="play"]:not(:disabled)').click()
    expect(page.locator(".felt .meter b")).not_to_have_text(re.compile("^0 of"))
    expect(page.locator(".hand .card")).to_have_count(len(faces) - 4)
    expect(page.locator(".p-why")).to_be_hidden()


# ── hints ────────────────────────────────────────────────────────────────────────────────────────


def test_a_hint_is_a_sentence_and_its_card_has_a_ring(
    live_server: Any, open_tab: OpenTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    await_turn(page)

    def announce(*_: object, hint: int) -> None:
        job = Hint.objects.take(pk=hint)
        assert job is not None
        move, next_move, *_rest = position_of(job.table).legal_moves()
        why = f"-1.5 points this deal, 40% to win. Next {next_move}: -0.8."
        job.finish(move=move, why=why)

    monkeypatch.setattr(hints, "announce", announce)
    page.locator('[data-do="hint"]').click()
    box = page.locator('[data-part="hint-words"]')
    expect(box).to_contain_text("The house would ")
    expect(box).to_contain_text("is worth 0.8 points less.")
    expect(page.locator('[data-part="hint"] h3')).to_have_text("Hint from The House")
    expect(page.locator(".felt .hinted").first).to_be_visible()
    page.locator('[data-do="show-hint"]').click()
    page.locator('[data-do="play"]').click()
    expect(page.locator(".p-why")).to_be_hidden()
    expect(page.locator(".felt .hinted")).to_have_count(0)


def test_the_hand_has_the_focus_after_dealing(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    start_table(page, live_server.url, "Cassino")
    assert page.evaluate("document.activeElement.matches('.hand')")
    page.keyboard.press("1")
    expect(page.locator(".hand .picked")).to_have_count(1)
