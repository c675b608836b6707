"""The replay in a real browser: all frames, and all ways to move through a match."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine import Record
from tests.browser.conftest import OpenTab, Tab
from tests.browser.tables import DESK
from tests.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

READY = "[data-replay].ready"
# Pass through the match within the page, and read each frame from its elements.
READ_FRAMES = """async () => {
  const frames = []
  const slider = document.querySelector('[role=slider]')
  for (;;) {
    frames.push({
      now: Number(slider.getAttribute('aria-valuenow')),
      hands: [...document.querySelectorAll('[data-hand]')]
        .sort((a, b) => a.dataset.hand - b.dataset.hand)
        .map((hand) => [...hand.querySelectorAll('.card')].map((e) => e.dataset.card ?? 'back')),
      middle: [...document.querySelectorAll('.center .card')].map((e) => e.dataset.card),
      open: document.querySelectorAll('.moves [aria-current]').length,
      score: [...document.querySelectorAll('.sheet tfoot td')].map((e) => Number(e.textContent)),
      over: document.querySelector('.sheet tfoot th').textContent === 'This deal',
    })
    if (frames.length > slider.getAttribute('aria-valuemax')) return frames
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
  }
}"""


def visit(live_server: Any, tab: Tab, record: Record, fragment: str = "") -> Page:
    """Open the page of a match with this record, and wait for its first frame."""
    match = finished.match(record)
    tab.page.goto(f"{live_server.url}/matches/{match.pk}/{fragment}")
    expect(tab.page.locator(READY)).to_be_visible()
    return tab.page


def position(page: Page) -> str:
    return page.get_by_role("slider").get_attribute("aria-valuetext") or ""


@pytest.mark.parametrize(
    "form", ["cassino/standard/2v2", "cassino/royal/1v1", "cassino/spade/ffa3"]
)
def test_each_frame_shows_its_cards_and_each_deal_its_points(
    live_server: Any, tab: Tab, form: str
) -> None:
    record = finished.play(f"{form}?target=11")
    page = visit(live_server, tab, record)
    frames_shown = page.evaluate(READ_FRAMES)
    frames = list(record.frames())
    assert [frame_shown["now"] for frame_shown in frames_shown] == list(range(len(frames)))
    for frame_shown, frame in zip(frames_shown, frames, strict=True):
        view = frame["view"]
        assert frame_shown["hands"] == view["hands"]
        assert [len(hand) for hand in frame_shown["hands"]] == view["hand_sizes"]
        assert sorted(frame_shown["middle"]) == sorted(
            c for item in view["table"] for c in item["cards"]
        )
        assert frame_shown["open"] == 1
    scored = [e["points"] for f in frames for e in f["events"] if e["type"] == "score"]
    assert [frame_shown["score"] for frame_shown in frames_shown if frame_shown["over"]][
        : len(scored)
    ] == scored


def test_keys_move_through_the_match(live_server: Any, tab: Tab) -> None:
    record = finished.play("cassino/standard/2v2", "s4", faulty=True)
    page = visit(live_server, tab, record)
    deals = len({frame["deal"] for frame in record.frames()})
    keys = page.keyboard
    assert position(page) == f"deal 1 of {deals}, move 0 of 48"
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("ArrowLeft")
    assert position(page) == f"deal 1 of {deals}, move 1 of 48"
    keys.press("]")
    assert position(page) == f"deal 2 of {deals}, move 0 of 48"
    keys.press("[")
    assert position(page) == f"deal 1 of {deals}, move 0 of 48"
    keys.press("End")
    assert position(page) == f"deal {deals} of {deals}, move 48 of 48"
    keys.press("f")
    fault = record.faults[0]["move"]
    assert position(page) == f"deal {fault // 48 + 1} of {deals}, move {fault % 48 + 1} of 48"
    expect(page.locator(".moves [aria-current] .fault").last).to_contain_text("no answer in time")
    keys.press("Home")
    assert position(page) == f"deal 1 of {deals}, move 0 of 48"


def test_a_forfeit_is_shown_at_the_last_move(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.forfeited("cassino/standard/1v1", 60))
    assert position(page) == "deal 1 of 2, move 0 of 48"
    page.keyboard.press("f")
    assert position(page) == "deal 2 of 2, move 12 of 12"
    expect(page.locator(".moves [aria-current] .say .fault")).to_have_text(
        "Tricoteuse crashed, deal 2, move 12; the match ended there"
    )


@pytest.mark.parametrize(("motion", "moving"), [("no-preference", 1), ("reduce", 0)])
def test_a_card_is_animated_only_in_single_steps(
    live_server: Any, tab: Tab, motion: Any, moving: int
) -> None:
    tab.page.emulate_media(reduced_motion=motion)
    page = visit(live_server, tab, finished.play("cassino/standard/2v2"))
    page.keyboard.press("End")
    assert page.evaluate("document.getAnimations().length") == 0
    key = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
    page.evaluate(key % "Home")
    step = f"{key % 'ArrowRight'}; document.getAnimations().length"
    assert page.evaluate(step) == moving


def test_looking_from_a_seat_hides_the_other_hands(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/2v2"), "#move-1")
    page.keyboard.press("2")
    expect(page.locator(".g-s [data-hand='1'] [data-card]")).to_have_count(4)
    expect(page.locator("[data-hand]:not([data-hand='1']) [data-card]")).to_have_count(0)
    expect(page.locator("[data-hand] [data-back]")).to_have_count(11)
    expect(page.get_by_role("button", name="W", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.wait_for_url("**/?seat=2#move-1")
    page.keyboard.press("0")
    expect(page.locator("[data-hand] [data-back]")).to_have_count(0)
    expect(page.locator(".g-s [data-hand='0']")).to_have_count(1)


def test_suit_colours_persist(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"))
    page.keyboard.press("c")
    expect(page.locator("html")).to_have_attribute("data-suits", "four")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-suits", "four")


def test_playback_runs_and_pauses(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"))
    page.get_by_label("Speed").select_option(label="Fast")
    page.locator("h1").click()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", re.compile("[2-9]|.."))
    page.get_by_role("button", name="Pause").click()
    paused_position = position(page)
    page.wait_for_timeout(700)
    assert position(page) == paused_position


def test_a_link_opens_its_move_and_the_address_follows(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/2v2"), "#move-60")
    assert position(page).startswith("deal 2")
    assert position(page).endswith("move 12 of 48")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/#move-61")
    page.locator(".moves [data-at] .m").first.click()
    page.wait_for_url("**/#deal-2")
    page.evaluate("location.hash = '#move-3'")
    expect(page.locator("[data-part=position]")).to_contain_text("deal 1")


def test_the_slider_responds_to_mouse_and_keys(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"))
    slider = page.get_by_role("slider")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert position(page) == "deal 1 of 1, move 24 of 48"
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuenow") == "25"
    page.keyboard.press("PageDown")
    assert slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemax")


def test_every_card_and_pile_has_a_name(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/2v2"), "#move-30")
    all_named = page.evaluate(
        "[...document.querySelectorAll('.table .card:not([aria-hidden])')]"
        ".every((card) => card.getAttribute('role') === 'img' && card.ariaLabel.includes(' of '))"
    )
    assert all_named
    expect(page.locator(".table [role=group]:not([aria-label])")).to_have_count(0)
    expect(page.get_by_role("group", name="stock: 16 cards")).to_have_count(1)


def test_the_bots_view_hides_other_hands(live_server: Any, tab: Tab) -> None:
    record = finished.play("cassino/standard/2v2")
    page = visit(live_server, tab, record, "#move-2")
    page.get_by_text("The bot’s view").click()
    expect(page.locator("[data-part=question] pre")).to_contain_text('"seat": 1')
    text = page.locator("[data-part=question] pre").inner_text()
    assert '"hands"' not in text
    assert '"legal": ' in text


def test_notes_are_escaped(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/2v2"), "#move-21")
    expect(page.locator(".moves .noted")).to_contain_text("<i>sweeps now</i>")


@pytest.mark.parametrize(
    "form", ["cassino/standard/2v2", "cassino/royal/1v1", "cassino/spade/ffa3"]
)
def test_a_phone_scrolls_in_one_direction(live_server: Any, tab: Tab, form: str) -> None:
    tab.page.set_viewport_size({"width": 375, "height": 800})
    page = visit(live_server, tab, finished.play(f"{form}?target=11"), "#move-20")
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_the_match_fits_a_small_laptop(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/2v2", "s4", faulty=True))
    bottom = page.evaluate("document.querySelector('.line').getBoundingClientRect().bottom")
    assert bottom <= 900


def test_cards_take_their_colours_from_the_page(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"))
    card = page.locator("[data-hand='0'] .card").first
    screenshot = card.screenshot()
    page.evaluate("document.documentElement.style.setProperty('--card', 'rgb(0, 90, 200)')")
    assert card.screenshot() != screenshot


def test_without_scripts_the_page_links_to_the_transcript(
    live_server: Any, open_tab: OpenTab
) -> None:
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    page = open_tab(DESK, java_script_enabled=False).page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    page.get_by_role("link", name="The transcript", exact=True).click()
    expect(page.locator("li[id^=move-]")).to_have_count(48)


def test_a_game_without_a_renderer_is_drawn_plainly(live_server: Any, tab: Tab) -> None:
    record = finished.play("cassino/standard/2v2?deals=1")
    frames = list(record.frames())
    for frame in frames:
        frame["view"] |= {"game": "somebody-elses", "trump": "TD", "bids": [[1, "pass"], [2, "no"]]}
    tab.page.route("**/frames/", lambda route: route.fulfill(json={"frames": frames}))
    tab.page.route("**/tally/", lambda route: route.fulfill(body="null"))
    page = visit(live_server, tab, record, "#move-5")
    expect(page.locator(".table.plain .things")).not_to_have_count(0)
    expect(page.locator(".center [data-card=TD]")).not_to_have_count(0)
    expect(page.locator("[data-hand]")).to_have_count(4)
    page.keyboard.press("ArrowRight")
    assert position(page) == "deal 1 of 1, move 6 of 48"
