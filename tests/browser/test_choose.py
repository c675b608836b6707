"""Choosing an opponent: the scale, bots by name, unfinished games, a stable layout."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from bots.models import Bot
from cardroom_tables.models import Table, TableSeat
from tests import factories as make
from tests.browser.axe import violations
from tests.browser.conftest import OpenTab
from tests.browser.tables import DESK, PHONE, TABLET, await_turn, start_table
from tests.browser.test_pages import OVERFLOW
from tests.play.hall import compare_deals, finished_table
from tournaments.models import Rating

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
SMALL_PHONE = {"width": 320, "height": 640}
POOL = "cassino/standard/1v1"
COUNT_SHIFTS = """() => {
  window.shifted = 0
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifted += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
}"""
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def chosen_level(page: Page) -> str:
    return str(page.locator(".lvl:has(:checked) b").evaluate("one => one.firstChild.textContent"))


@pytest.mark.parametrize(
    "size", [SMALL_PHONE, PHONE, TABLET, DESK], ids=["320", "390", "1024", "1440"]
)
@pytest.mark.parametrize("game", ["cassino", "canasta"])
def test_late_scripts_shift_nothing(
    live_server: Any, open_tab: OpenTab, size: dict[str, int], game: str
) -> None:
    page = open_tab(size).page
    waiting: list[Route] = []
    delayed = [True]
    page.route("**/*.js", lambda one: waiting.append(one) if delayed[0] else one.continue_())
    page.goto(f"{live_server.url}/play/?game={game}", wait_until="commit")
    page.locator(".dealbar .btn").wait_for()
    page.evaluate(COUNT_SHIFTS)
    page.evaluate(PAINTED)
    expect(page.locator(".opt3")).to_have_count(0)  # no script has run
    assert waiting
    delayed[0] = False
    for route in waiting:
        route.continue_()
    page.locator(".opt3").first.wait_for()
    page.evaluate(PAINTED)
    assert page.evaluate("shifted") < 0.05


def test_the_scale_is_a_group_of_seven_levels(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    page.goto(f"{live_server.url}/play/")
    scale = page.get_by_role("radiogroup", name="Level, from beginner to hardest")
    expect(scale.get_by_role("radio")).to_have_count(7)
    assert chosen_level(page) == "Novice"
    expect(page.locator(".lvl .rec:visible")).to_have_text("start here")
    expect(page.locator(".lvl .r").first).to_have_text("not rated here")
    expect(page.locator('.lvl rect:not([height="0"])')).to_have_count(0)
    scale.get_by_role("radio").nth(1).focus()
    for key, name in (("ArrowRight", "Regular"), ("End", "The House"), ("Home", "Dabbler")):
        page.keyboard.press(key)
        assert chosen_level(page) == name
        expect(page.locator('[data-part="sum"]')).to_contain_text(name)
    page.keyboard.press("ArrowLeft")
    assert chosen_level(page) == "The House"
    names = page.locator(".lvl b").evaluate_all("all => all.map(one => one.firstChild.textContent)")
    page.locator(".tile", has_text="Paks").click()
    names_at_paks = page.locator(".lvl b").evaluate_all(
        "all => all.map(one => one.firstChild.textContent)"
    )
    assert names == names_at_paks
    page.locator(".lvl", has_text="Old Hand").click()
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".play.ready").wait_for()
    expect(page.locator(".f-others")).to_contain_text("Old Hand")
    assert TableSeat.objects.get(index=1).bot == "house:expert-3"


def test_the_last_level_is_preselected(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(PHONE).page
    page.goto(f"{live_server.url}/play/")
    page.locator(".lvl", has_text="Sharp").click()
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".play.ready").wait_for()
    page.goto(f"{live_server.url}/play/")
    assert chosen_level(page) == "Sharp"
    expect(page.locator(".lvl .rec:visible")).to_have_count(0)
    page.locator(".tile", has_text="Zwicker").click()
    assert chosen_level(page) == "Novice"


@pytest.fixture
def rated_bots() -> None:
    """Two levels with ratings at Cassino for two, and bots that play some of its formats."""
    for name, value in (("house:random", 640.0), ("house:expert-1", 1200.0)):
        bot = make.house_bot(name)
        _rate(bot, value)
    owner = make.user("aki")
    _rate(make.bot(owner, "Longest-and-a-name-without-any-space-in-it"), 2071.0)
    make.bot(owner, "Slow Hand")
    make.bot(owner, "Two Only", formats=("cassino/*/2v2",))


def _rate(bot: Bot, value: float) -> None:
    assert bot.active_version is not None
    Rating.objects.create(
        pool=POOL, version=bot.active_version, fitted=value, low=value - 31, high=value + 31
    )


@pytest.mark.usefixtures("rated_bots")
def test_ratings_and_bots_by_name(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    page.goto(f"{live_server.url}/play/")
    expect(page.locator(".lvl .r").nth(1)).to_have_text("1,200 ±31")
    expect(page.locator('.lvl rect:not([height="0"])')).to_have_count(2)
    page.locator(".named > summary").click()
    rows = page.locator(".named tbody tr")
    expect(rows.first).to_contain_text("Longest-and-a")
    expect(rows.first).to_contain_text("by aki")
    assert not page.locator(".named tr", has_text="Two Only").count()
    assert not page.locator(".named tr", has_text="House Paks").count()
    expect(page.locator(".named tr", has_text="House Cassino")).to_contain_text("house bot")
    assert page.evaluate(OVERFLOW) == []
    rows.first.get_by_role("button", name="Choose").click()
    expect(rows.first.get_by_role("button")).to_have_text("Chosen")
    expect(page.locator(".lvl :checked")).to_have_count(0)
    expect(page.locator('[data-part="sum"]')).to_contain_text("Longest-and-a")
    page.locator(".opt3", has_text="Four").click()
    assert page.locator(".named tr", has_text="Two Only").count() == 1
    page.locator(".lvl", has_text="Master").click()
    expect(page.locator(".sc select")).to_have_count(3)
    assert page.locator(".sc select").evaluate_all("all => all.map(one => one.value)") == (
        ["house:expert-5"] * 3
    )


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE], ids=["320", "390"])
@pytest.mark.usefixtures("rated_bots")
def test_a_phone_shows_seven_rows_and_the_button(
    live_server: Any, open_tab: OpenTab, size: dict[str, int]
) -> None:
    page = open_tab(size).page
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{live_server.url}/play/")
        tops = page.locator(".lvl").evaluate_all(
            "all => all.map(one => Math.round(one.getBoundingClientRect().top))"
        )
        assert len(set(tops)) == 7
        expect(page.get_by_role("button", name="Deal the cards")).to_be_in_viewport(ratio=1)
        page.evaluate("scrollTo(0, 900)")
        expect(page.get_by_role("button", name="Deal the cards")).to_be_in_viewport(ratio=1)
        assert page.evaluate(OVERFLOW) == []
        assert violations(page) == []


def test_pictures_of_games_are_not_cut(live_server: Any, open_tab: OpenTab) -> None:
    for size in (SMALL_PHONE, PHONE, TABLET, DESK):
        page = open_tab(size).page
        page.goto(f"{live_server.url}/play/")
        cut = page.locator(".felt-pic").evaluate_all(
            """all => all.filter(pic => {
              const box = pic.getBoundingClientRect()
              return [...pic.querySelectorAll('svg, b')].some(one => {
                const own = one.getBoundingClientRect()
                return own.left < box.left || own.right > box.right || own.top < box.top
              })
            }).length"""
        )
        assert cut == 0, size


# ── unfinished and finished games ────────────────────────────────────────────────────────────────


def test_home_links_to_the_unfinished_game(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(PHONE).page
    page.goto(live_server.url)
    expect(page.locator(".waits")).to_have_count(0)
    start_table(page, live_server.url, "Paks")
    await_turn(page)
    table = page.url
    page.goto(live_server.url)
    expect(page.locator(".waits")).to_contain_text("Your Paks game against")
    page.locator(".waits a").click()
    page.locator(".play.ready").wait_for()
    assert page.url == table


def test_a_game_can_be_dropped(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(PHONE).page
    start_table(page, live_server.url, "Paks")
    page.goto(f"{live_server.url}/play/")
    panel = page.locator(".going")
    expect(panel).to_be_in_viewport()
    expect(panel.locator("h2")).to_have_text("Back to a table")
    panel.get_by_role("button", name="Drop").click()
    expect(page.locator(".going")).to_have_count(0)
    assert Table.objects.get().state == Table.State.ABANDONED


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE], ids=["320", "390"])
def test_the_comparison_fits_a_phone_and_names_players(
    live_server: Any, open_tab: OpenTab, size: dict[str, int]
) -> None:
    table = finished_table()
    compare_deals()
    page = open_tab(size).page
    page.goto(f"{live_server.url}/play/{table.key}/comparison/1/")
    page.locator(".strip").wait_for()
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth)"
    )
    cut = page.locator(".strip text").evaluate_all(
        """all => all.filter(text => {
          const own = text.getBoundingClientRect()
          const box = text.ownerSVGElement.getBoundingClientRect()
          return own.left < box.left - 1 || own.right > box.right + 1
        }).map(text => text.textContent)"""
    )
    assert cut == []
    for panel in page.locator(".cmp > section").all():
        name = panel.locator("h2").text_content() or ""
        heading = panel.locator("h3").text_content() or ""
        assert heading.startswith(f"{name} "), heading
