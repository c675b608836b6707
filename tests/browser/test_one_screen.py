"""The replay: all necessary parts fit on one screen, on phones, too."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenTab, Tab
from tests.browser.tables import DESK
from tests.browser.test_replay import position, visit
from tests.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FORMS = (
    "cassino/standard/2v2?deals=1",
    "spoon-eye/standard/ffa4?deals=1",
    "zwicker/grupp/ffa4?deals=1",
    "paks/standard/2v2?deals=1",
    "canasta/classic/2v2",
)
SWIPE = """([from, to]) => {
  const at = (type, x) => new PointerEvent(type, {
    pointerType: 'touch', isPrimary: true, bubbles: true, clientX: x, clientY: 300 })
  const board = document.querySelector('.board')
  board.dispatchEvent(at('pointerdown', from))
  board.dispatchEvent(at('pointerup', to))
}"""


def hidden_part(page: Page) -> int:
    """Pixels of the table that are hidden without scrolling."""
    return int(
        page.evaluate("(t => t.scrollHeight - t.clientHeight)(document.querySelector('.table'))")
    )


@pytest.mark.parametrize("form", FORMS)
def test_table_controls_and_last_sentence_share_the_screen(
    live_server: Any, tab: Tab, form: str
) -> None:
    page = visit(live_server, tab, finished.play(f"{form}"), "#move-30")
    for width, height in ((390, 844), (1024, 768), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        sentence = ".last" if width < 1100 else ".moves .say"
        for part in (".board", sentence, "[role=slider]", "[data-do=on]", "[data-do=deal-back]"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
        assert hidden_part(page) == 0
        assert page.evaluate("document.documentElement.scrollWidth") == width
        small_buttons = page.evaluate(
            "[...document.querySelectorAll('.line .btn, .views .btn')].filter(e =>"
            " e.checkVisibility() && e.getBoundingClientRect().height < 43.5).length"
        )
        assert small_buttons == 0 or width >= 1100


@pytest.mark.parametrize("form", [*FORMS, "spoon-eye/standard/1v1?deals=1"])
def test_the_whole_table_is_visible_at_the_end(live_server: Any, tab: Tab, form: str) -> None:
    record = finished.play(form)
    page, site = tab.page, live_server.url
    match = finished.match(record)
    fragment = f"#move-{len(record.moves)}"
    for address, width, height in (
        (f"/embed/matches/{match.pk}/{fragment}", 320, 360),
        (f"/embed/matches/{match.pk}/{fragment}", 480, 420),
        (f"/matches/{match.pk}/{fragment}", 390, 844),
        (f"/matches/{match.pk}/{fragment}", 1280, 800),
    ):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(site + address)
        page.locator("[data-replay].ready .table").wait_for()
        assert hidden_part(page) <= 1, (address, width)


def test_buttons_show_moves_score_and_description(live_server: Any, tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 844})
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"), "#move-20")
    views = page.get_by_role("group", name="Show")
    expect(page.locator(".moves")).to_be_hidden()
    views.get_by_role("button", name="Moves").click()
    expect(page.locator(".table")).to_be_hidden()
    expect(page.locator(".moves [aria-current]")).to_be_in_viewport()
    page.get_by_role("button", name="Next move").click()
    assert position(page) == "deal 1 of 1, move 21 of 48"
    views.get_by_role("button", name="Score").click()
    expect(page.get_by_text("Most spades")).to_be_visible()
    views.get_by_role("button", name="About").click()
    expect(page.get_by_text("One card a turn.").last).to_be_visible()
    expect(page.get_by_role("link", name="Transcript")).to_be_visible()
    expect(page.get_by_label("Speed")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    for part in (".table", ".moves", ".sheet"):
        expect(page.locator(part)).to_be_visible()


def test_a_swipe_on_the_table_changes_the_move(live_server: Any, tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 844})
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"), "#move-20")
    page.evaluate(SWIPE, [300, 200])
    assert position(page) == "deal 1 of 1, move 21 of 48"
    page.evaluate(SWIPE, [200, 300])
    assert position(page) == "deal 1 of 1, move 20 of 48"
    for short_or_at_the_edge in ([200, 240], [5, 200]):
        page.evaluate(SWIPE, short_or_at_the_edge)
    assert position(page) == "deal 1 of 1, move 20 of 48"


def test_sound_is_off_by_default(live_server: Any, tab: Tab) -> None:
    page = visit(live_server, tab, finished.play("cassino/standard/1v1?deals=1"))
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("s")
    expect(sound).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    page.reload()
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")


def test_log_lines_of_the_move_are_marked(live_server: Any, tab: Tab) -> None:
    record = finished.play("cassino/standard/1v1?deals=1")
    match = finished.match(record)
    page = tab.page
    log = "-- move 2 --\nthinks\n-- move 4 --\nTraceback\nboom\n"
    page.route("**/logs/*/", lambda route: route.fulfill(json={"log": log}))
    sign_in_as_owner(page, live_server.url)
    page.goto(f"{live_server.url}/matches/{match.pk}/#move-5")
    page.get_by_role("button", name="Log", exact=True).click()
    expect(page.locator(".log .on")).to_have_text(["move 5", "2Traceback", "3boom"])
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".log .on")).to_have_count(0)
    page.evaluate("location.hash = '#move-3'")
    expect(page.locator(".log .on")).to_have_text(["move 3", "1thinks"])


def sign_in_as_owner(page: Page, site: str) -> None:
    """Log in as the owner of the first seat's bot."""
    client = Client()
    client.force_login(User.objects.get(username="owner0"))
    session_key = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session_key, "url": site}]
    )


def test_side_shapes_are_visible_in_forced_colours(live_server: Any, open_tab: OpenTab) -> None:
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    page = open_tab(DESK, forced_colors="active").page
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator(".plate .side").first).to_be_visible()
    colours = page.evaluate(
        "[...document.querySelectorAll('.plate .side')].map(e =>"
        " [getComputedStyle(e).fill, getComputedStyle(e.closest('b')).color])"
    )
    assert all(fill == text for fill, text in colours)


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("form", ["cassino/standard/1v1?deals=1", "zwicker/grupp/1v1?deals=1"])
def test_no_pile_is_cut_at_the_edge_of_a_phone(
    live_server: Any, tab: Tab, width: int, form: str
) -> None:
    match = finished.match(finished.play(form))
    page = tab.page
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/matches/{match.pk}/?move=6")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    cut = page.evaluate(
        """() => {
          const table = document.querySelector('.board .table')
          const { left, right } = table.getBoundingClientRect()
          return [...table.querySelectorAll('.pile .card')]
            .map(card => card.getBoundingClientRect())
            .filter(box => box.left < left + 2 || box.right > right - 2).length
        }"""
    )
    assert cut == 0


def test_a_button_of_the_replay_leads_to_the_analysis(live_server: Any, tab: Tab) -> None:
    match = finished.match(finished.play("cassino/standard/1v1?deals=1"))
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/matches/{match.pk}/")
    expect(page.locator("[data-replay].ready")).to_be_visible()
    page.get_by_role("group", name="Show").get_by_role("link", name="Why").click()
    expect(page.get_by_role("heading", name="Why it ended this way")).to_be_in_viewport()
