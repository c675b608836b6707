"""Planning a tournament in stages, and its bracket, in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import chosen_winners, factories
from tests.browser.axe import violations
from tests.browser.conftest import OpenTab, Tab
from tests.browser.tables import DESK, PHONE
from tests.browser.test_pages import OVERFLOW, examine, sign_in
from tests.full_size import FULL_SIZE_ONLY
from tournaments.exports import export_files
from tournaments.models import Rating, Tournament
from tournaments.reading import content_cache, kinds

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLACES = """() => [...document.querySelectorAll('.bracket .node')].map(e => {
  const box = e.getBoundingClientRect()
  return [e.getAttribute('aria-label'), Math.round(box.left), Math.round(box.top + box.height / 2)]
})"""

SHORT = "cassino/standard/1v1?deals=1"

OVERFLOWING_BOXES = """() => {
  const boxes = [...document.querySelectorAll('.bracket :is(.node, .col)')]
  const beyond = (e, frame) =>
    e.getBoundingClientRect().right > e.closest(frame).getBoundingClientRect().right + 1
  return [
    boxes.map(e => e.getAttribute('aria-label')),
    boxes.filter(e => beyond(e, '.round') || beyond(e, '.panel')).map(e => e.textContent.trim()),
  ]
}"""

LINES = """() => [...document.querySelectorAll('.joined > .tree:not(:last-child)')].map(e => {
  const box = e.querySelector('.round:last-child .box')
  const line = getComputedStyle(box, '::after')
  const {top, bottom, right} = box.getBoundingClientRect()
  return {
    x: right - parseFloat(line.right),
    top: top + parseFloat(line.top),
    bottom: bottom - parseFloat(line.bottom),
  }
})"""

# Whether the browser would send the form after each of two events.
SUBMIT_TWICE = """form => [1, 2].map(() =>
  form.dispatchEvent(new SubmitEvent('submit', {bubbles: true, cancelable: true})))"""


@pytest.fixture(autouse=True)
def _no_sandbox(settings: Any) -> None:
    settings.WORKERS_ELSEWHERE = True


def assert_sound(tab: Tab) -> None:
    """Assert that the page fits its width, is accessible and has no complaints."""
    assert tab.page.evaluate(OVERFLOW) == []
    assert violations(tab.page) == []
    assert tab.complaints == []


@pytest.mark.parametrize("width", [1280, 375])
def test_planning_stages(live_server: Any, open_tab: OpenTab, width: int) -> None:
    boss = factories.user("boss")
    tab = open_tab({"width": width, "height": 800})
    page = tab.page
    sign_in(page, live_server.url, boss)
    page.goto(f"{live_server.url}/tournaments/new/")
    page.get_by_label("Name").fill("Three steps")
    page.get_by_text("More rounds, deal groups").click()
    # Only the chosen system's settings are visible.
    expect(page.get_by_role("spinbutton", name="Meetings")).to_have_count(1)
    page.get_by_label("Pairing system").select_option("swiss")
    expect(page.get_by_role("spinbutton", name="Meetings")).to_have_count(0)
    page.get_by_role("spinbutton", name="Rounds").fill("5")
    page.get_by_role("button", name="Add a stage").click()
    expect(page.get_by_label("Name")).to_have_value("Three steps")
    stage_group = page.get_by_role("group", name="Stage 2")
    stage_group.get_by_label("Entries that advance to this stage").fill("1")
    assert_sound(tab)
    page.get_by_label("Name").press("Enter")  # submits the form without adding a stage
    expect(stage_group.locator(".err")).to_contain_text("2")
    stage_group.get_by_label("Entries that advance to this stage").fill("4")
    stage_group.get_by_role("spinbutton", name="Match for third place").fill("1")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Three steps")
    tournament = Tournament.objects.get(slug="three-steps")
    assert [(s.system, s.settings) for s in tournament.stages.order_by("number")] == [
        ("swiss", {"rounds": 5}),
        ("knock-out", {"third": 1}),
    ]


def test_a_bracket_is_a_tree_or_a_list(live_server: Any, tab: Tab) -> None:
    boss = factories.user("boss")
    bots = [factories.bot(boss, name) for name in ("Magpie", "Jay", "Rook", "凪 Nagi", "Raven")]
    cup = factories.tournament(bots, by=boss, name="Cup", start=True, system="knock-out")
    chosen_winners.play_round(cup, [bot.name for bot in bots])
    examine(tab, live_server.url, "/tournaments/cup/bracket/")
    places = {name: (x, y) for name, x, y in tab.page.evaluate(PLACES)}
    quarterfinals = [places[f"Quarterfinal {number}"] for number in (1, 2, 3, 4)]
    assert len({x for x, _ in quarterfinals}) == 1
    # Each box is centred between the two that lead to it.
    for number, pair in ((1, quarterfinals[:2]), (2, quarterfinals[2:])):
        x, y = places[f"Semifinal {number}"]
        assert x > quarterfinals[0][0]
        assert abs(y - sum(place[1] for place in pair) / 2) <= 2
    tab.page.set_viewport_size({"width": 375, "height": 800})
    narrow = tab.page.evaluate(PLACES)
    assert len({x for _, x, _ in narrow}) == 1
    assert [y for *_, y in narrow] == sorted(y for *_, y in narrow)
    assert_sound(tab)


@pytest.mark.parametrize("page", ["/tournaments/cup/", "/tournaments/cup/bracket/"])
def test_a_double_knock_out_of_long_names_fits_its_panel(
    live_server: Any, tab: Tab, page: str
) -> None:
    boss = factories.user("boss")
    bots = [factories.bot(boss, letter * 40) for letter in "ABCDEFGH"]
    cup = factories.tournament(
        bots, by=boss, name="Cup", start=True, system="double-knock-out", format=SHORT
    )
    factories.finish(cup.matches.earliest("pk"))  # so that the overview has a story
    content_cache.recompute_all(kinds.KINDS)
    tab.page.set_viewport_size({"width": 1440, "height": 900})
    tab.page.goto(f"{live_server.url}{page}")
    names, reaching = tab.page.evaluate(OVERFLOWING_BOXES)
    assert {"Grand final", "Grand final again"} <= set(names)
    assert reaching == []


@pytest.mark.parametrize("entrants", [3, 4, 8])
def test_both_trees_of_a_double_knock_out_lead_to_the_final(
    live_server: Any, tab: Tab, entrants: int
) -> None:
    factories.tournament(entrants, name="Cup", start=True, system="double-knock-out")
    tab.page.set_viewport_size({"width": 1440, "height": 900})
    tab.page.goto(f"{live_server.url}/tournaments/cup/bracket/")
    places = {name: (x, y) for name, x, y in tab.page.evaluate(PLACES)}
    winners = max(place for name, place in places.items() if name.startswith("Winners"))
    losers = max(place for name, place in places.items() if name.startswith("Losers"))
    x, y = places["Grand final"]
    assert x > max(winners[0], losers[0])
    assert winners[1] < y < losers[1]
    # A single vertical line: the winners' part ends where the losers' part begins, or below.
    winners_line, losers_line = tab.page.evaluate(LINES)
    assert abs(winners_line["x"] - losers_line["x"]) <= 1
    assert winners_line["top"] < y < losers_line["bottom"]
    assert winners_line["bottom"] >= losers_line["top"]
    assert_sound(tab)
    tab.page.set_viewport_size({"width": 390, "height": 800})
    assert len({x for _, x, _ in tab.page.evaluate(PLACES)}) == 1
    assert_sound(tab)


@pytest.mark.parametrize(
    ("scheme", "scripts"),
    [
        pytest.param("light", True, id="light-scripts"),
        pytest.param("dark", False, id="dark-none"),
        pytest.param("dark", True, id="dark-scripts", marks=FULL_SIZE_ONLY),
        pytest.param("light", False, id="light-none", marks=FULL_SIZE_ONLY),
    ],
)
def test_an_export_is_created_and_then_listed(
    live_server: Any,
    open_tab: OpenTab,
    scheme: Any,
    scripts: bool,
) -> None:
    cup = factories.tournament(3, start=True, rated=False)
    factories.finish_all(cup)
    limit = export_files.ARCHIVE.uncached_matches
    object.__setattr__(export_files.ARCHIVE, "uncached_matches", 0)
    tab = open_tab(DESK, color_scheme=scheme, java_script_enabled=scripts)
    page = tab.page
    try:
        page.goto(f"{live_server.url}/tournaments/{cup.slug}/")
        page.get_by_role("link", name="Export").click()
        page.get_by_role("button", name="Create").click()
        expect(page.get_by_text("in progress …")).to_be_visible()
        # Block updates, so that the page does not change during the checks.
        page.route("**/*", lambda route: route.fulfill(status=204))
        assert_sound_at_every_width(tab, scripts=scripts)
        content_cache.compute_due([export_files.ARCHIVE])
        page.unroute("**/*")
        if not scripts:
            page.get_by_role("link", name="Reload").click()
        expect(page.get_by_role("link", name="ZIP")).to_be_visible(timeout=30_000)
        assert_sound_at_every_width(tab, scripts=scripts)
    finally:
        object.__setattr__(export_files.ARCHIVE, "uncached_matches", limit)


def assert_sound_at_every_width(tab: Tab, *, scripts: bool) -> None:
    """Check the page at every width; the checks need scripts."""
    for width in (390, 1024, 1440):
        tab.page.set_viewport_size({"width": width, "height": 900})
        if scripts:
            assert_sound(tab)


def test_times_are_in_the_readers_time_zone(live_server: Any, open_tab: OpenTab) -> None:
    """Times in UTC are converted to the reader's time zone."""
    factories.tournament(4, name="Cup", start=True)
    factories.finish_all(Tournament.objects.get(slug="cup"))
    Tournament.objects.filter(slug="cup").update(finished=datetime(2026, 3, 1, 20, 30, tzinfo=UTC))
    page = open_tab(DESK, timezone_id="Asia/Tokyo").page
    page.goto(f"{live_server.url}/tournaments/?state=finished")
    page.evaluate(
        """() => {
          document.body.insertAdjacentHTML('beforeend',
            '<time id="far" datetime="2026-03-01T20:30+00:00" data-clock>1 Mar, 20:30 UTC</time>' +
            '<time id="wrong" datetime="x" data-clock>20:30 UTC</time>')
          document.dispatchEvent(new Event('htmx:afterSettle'))
        }"""
    )
    assert page.locator("#far").text_content() == "2 Mar, 05:30"
    assert page.locator("#wrong").text_content() == "20:30 UTC"
    time = page.locator("time[datetime^='2026-03-01T20:30:00']").first
    assert time.get_attribute("title") == "2 March 2026 at 05:30"


@pytest.mark.parametrize("width", [1280, 375])
def test_several_stages_fit_the_screen(live_server: Any, open_tab: OpenTab, width: int) -> None:
    stages = [
        {"system": "swiss", "groups": 1, "settings": {"rounds": 3}},
        {"system": "knock-out", "groups": 1, "take": 4},
    ]
    names = ("Magpie", "Jay", "Rook", "凪 Nagi", "Raven", "Wren")
    bots = [factories.bot(name=name) for name in names]
    cup = factories.tournament(bots, name="Cup", start=True, stages=stages)
    for _ in range(4):
        chosen_winners.play_round(cup, names)
    tab = open_tab({"width": width, "height": 800})
    for path in ("", "standings/", "matches/"):
        tab.page.goto(f"{live_server.url}/tournaments/cup/{path}")
        assert_sound(tab)


def test_a_ladders_points_are_visible_on_a_phone(live_server: Any, open_tab: OpenTab) -> None:
    stages = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    ladder = factories.tournament(3, stages=stages, start=True)
    for version in ladder.entries.values_list("version", flat=True):
        Rating.objects.update_or_create(
            pool="cassino/standard/1v1",
            kind=Rating.Kind.ALL,
            version_id=version,
            defaults={"fitted": -57, "low": -1257, "high": 1143},
        )
    tab = open_tab(PHONE)
    tab.page.goto(f"{live_server.url}/tournaments/{ladder.slug}/standings/")
    expect(tab.page.locator("td.wraps").first).to_have_text("−1257 to 1143")
    right_ends = tab.page.evaluate(
        "() => [...document.querySelectorAll('th')].filter(e => e.textContent === 'Points')"
        ".map(e => e.getBoundingClientRect().right)"
    )
    assert right_ends
    assert max(right_ends) <= PHONE["width"]
    assert tab.complaints == []


def test_a_double_click_sends_a_form_once(live_server: Any, tab: Tab) -> None:
    boss = factories.user("boss")
    factories.tournament(2, by=boss, name="Cup", start=True)
    sign_in(tab.page, live_server.url, boss)
    tab.page.goto(f"{live_server.url}/tournaments/cup/")
    form = tab.page.locator("form[action$='/repeat/']")
    assert form.evaluate(SUBMIT_TWICE) == [True, False]
