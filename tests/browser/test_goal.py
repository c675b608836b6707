"""The goal on the felt, buttons that say what they do, hints, and several melds in one go."""

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
from tests.browser.conftest import Opened
from tests.browser.tables import DESK, GAMES, PHONE, SCROLLS, attend, deal

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
SMALL = {"width": 320, "height": 640}
VERBS = re.compile(
    "Add|Ask|Build|Discard|Draw|End|Leave|Make|Meld|Move|Pass|Put|Say|Show|Steal|Take"
)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_goal_score_and_needs_are_on_the_felt(
    live_server: Any, opened: Opened, game: str, size: dict[str, int]
) -> None:
    page = opened(size).page
    deal(page, live_server.url, game)
    attend(page)
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
def test_the_main_button_says_the_move_and_the_line_what_comes_of_it(
    live_server: Any, opened: Opened, game: str
) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, game)
    attend(page)
    page.locator("summary", has_text="move").first.click()
    offers = page.locator('[data-do="offer"]')
    for number in range(min(6, offers.count())):
        sentence = offers.nth(number).text_content() or ""
        offers.nth(number).click()
        button = page.locator('[data-do="play"] > span').first
        assert VERBS.match(button.text_content() or ""), button.text_content()
        said = page.locator(".p-bar .say").text_content() or ""
        assert said
        assert said != sentence


def _cards(text: str, fits: Callable[[Match], bool]) -> str:
    """A seed of a table whose first turn of the person `fits`."""
    for number in range(400):
        seed = f"{number:032x}"
        match = Match(text, seed=seed)
        if match.turn == 0 and fits(match):
            return seed
    raise AssertionError(f"no such cards at {text}")


def test_what_a_move_decides_is_brass(
    live_server: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes = lambda match: any("x" in move for move in match.legal_moves())  # noqa: E731
    seed = _cards("cassino/standard/1v1?deals=1", takes)
    monkeypatch.setattr(tables, "new_seed", lambda: seed)
    page = opened(DESK).page
    deal(page, live_server.url, "Cassino")
    page.locator("summary", has_text="legal moves").click()
    page.locator('[data-do="offer"]', has_text="takes").first.click()
    expect(page.locator(".felt .needs .hot")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".felt .needs .hot")).to_have_count(0)


# ── Canasta ──────────────────────────────────────────────────────────────────────────────────────


def _four_equal(match: Match) -> bool:
    """Whether four equal cards can be melded after the draw."""
    match.play("draw")
    combined = decide(match, 0).combined
    return any(len(offer.after) == 1 and len(set(offer.parts)) == 2 for offer in combined)


@pytest.fixture
def canasta(live_server: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A table of Canasta at which one holds four equal cards at least."""
    seed = _cards("canasta/classic/1v1?deals=1", _four_equal)
    monkeypatch.setattr(tables, "new_seed", lambda: seed)
    page = opened(DESK).page
    deal(page, live_server.url, "Canasta")
    return page


def test_four_equal_cards_are_melded_with_one_button(canasta: Page) -> None:
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
    cards = [at for at, face in enumerate(faces) if face[0] == rank][:4]
    for at in cards:
        page.locator(f'.hand [data-path="hand.{at}"]').click()
        expect(page.locator(".felt .meter b")).to_contain_text(" of ")
    page.locator('[data-do="play"]:not(:disabled)').click()
    expect(page.locator(".felt .meter b")).not_to_have_text(re.compile("^0 of"))
    expect(page.locator(".hand .card")).to_have_count(len(faces) - 4)
    expect(page.locator(".p-why")).to_be_hidden()


# ── hints ────────────────────────────────────────────────────────────────────────────────────────


def test_a_hint_is_a_sentence_and_its_card_has_a_ring(
    live_server: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, "Cassino")
    attend(page)

    def announce(*_: object, hint: int) -> None:
        asked = Hint.objects.take(pk=hint)
        assert asked is not None
        first, second, *_rest = position_of(asked.table).legal_moves()
        why = f"-1.5 points this deal, 40% to win. Next {second}: -0.8."
        asked.finish(move=first, why=why)

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


def test_focus_after_dealing_is_on_the_hand(live_server: Any, opened: Opened) -> None:
    page = opened(DESK).page
    deal(page, live_server.url, "Cassino")
    assert page.evaluate("document.activeElement.matches('.hand')")
    page.keyboard.press("1")
    expect(page.locator(".hand .picked")).to_have_count(1)
