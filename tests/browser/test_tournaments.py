"""Planning a tournament in stages, and its bracket, in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import chosen_winners, factories
from tests.browser.axe import violations
from tests.browser.conftest import Opened, Watched
from tests.browser.tables import DESK
from tests.browser.test_pages import OVER, examine, sign_in
from tests.full_size import FULL_SIZE_ONLY
from tournaments.exports import files
from tournaments.models import Tournament
from tournaments.reading import content_cache, kinds

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLACES = """() => [...document.querySelectorAll('.bracket .node')].map(e => {
  const box = e.getBoundingClientRect()
  return [e.getAttribute('aria-label'), Math.round(box.left), Math.round(box.top + box.height / 2)]
})"""

SHORT = "cassino/standard/1v1?deals=1"

REACHING = """() => {
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


@pytest.fixture(autouse=True)
def _no_sandbox_here(settings: Any) -> None:
    settings.WORKERS_ELSEWHERE = True


def whole(watched: Watched) -> None:
    """Nothing reaches over the edge, is unnamed or pale, and nothing was complained of."""
    assert watched.page.evaluate(OVER) == []
    assert violations(watched.page) == []
    assert watched.complaints == []


@pytest.mark.parametrize("width", [1280, 375])
def test_planning_stages(live_server: Any, opened: Opened, width: int) -> None:
    boss = factories.user("boss")
    watched = opened({"width": width, "height": 800})
    page = watched.page
    sign_in(page, live_server.url, boss)
    page.goto(f"{live_server.url}/tournaments/new/")
    page.get_by_label("Name").fill("Three steps")
    page.get_by_text("More rounds, deal groups").click()
    # Only the numbers of the chosen system are there.
    expect(page.get_by_role("spinbutton", name="Meetings")).to_have_count(1)
    page.get_by_label("Pairing system").select_option("swiss")
    expect(page.get_by_role("spinbutton", name="Meetings")).to_have_count(0)
    page.get_by_role("spinbutton", name="Rounds").fill("5")
    page.get_by_role("button", name="Add a stage").click()
    expect(page.get_by_label("Name")).to_have_value("Three steps")
    second = page.get_by_role("group", name="Stage 2")
    second.get_by_label("How many advance to it").fill("1")
    whole(watched)
    page.get_by_label("Name").press("Enter")  # sends the form, and adds no stage
    expect(second.locator(".err")).to_contain_text("2")
    second.get_by_label("How many advance to it").fill("4")
    second.get_by_role("spinbutton", name="Match for third place").fill("1")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Three steps")
    made = Tournament.objects.get(slug="three-steps")
    assert [(s.system, s.settings) for s in made.stages.order_by("number")] == [
        ("swiss", {"rounds": 5}),
        ("knock-out", {"third": 1}),
    ]


def test_a_bracket_is_a_tree_or_a_list(live_server: Any, watched: Watched) -> None:
    boss = factories.user("boss")
    bots = [factories.bot(boss, name) for name in ("Magpie", "Jay", "Rook", "凪 Nagi", "Raven")]
    cup = factories.tournament(bots, by=boss, name="Cup", start=True, system="knock-out")
    chosen_winners.play_round(cup, [bot.name for bot in bots])
    examine(watched, live_server.url, "/tournaments/cup/bracket/")
    places = {name: (x, y) for name, x, y in watched.page.evaluate(PLACES)}
    first = [places[f"Quarterfinal {number}"] for number in (1, 2, 3, 4)]
    assert len({x for x, _ in first}) == 1
    # A box stands in the middle of those who lead to it.
    for number, pair in ((1, first[:2]), (2, first[2:])):
        x, y = places[f"Semifinal {number}"]
        assert x > first[0][0]
        assert abs(y - sum(each[1] for each in pair) / 2) <= 2
    watched.page.set_viewport_size({"width": 375, "height": 800})
    narrow = watched.page.evaluate(PLACES)
    assert len({x for _, x, _ in narrow}) == 1
    assert [y for *_, y in narrow] == sorted(y for *_, y in narrow)
    whole(watched)


@pytest.mark.parametrize("page", ["/tournaments/cup/", "/tournaments/cup/bracket/"])
def test_a_double_knock_out_of_long_names_fits_its_panel(
    live_server: Any, watched: Watched, page: str
) -> None:
    boss = factories.user("boss")
    bots = [factories.bot(boss, letter * 40) for letter in "ABCDEFGH"]
    cup = factories.tournament(
        bots, by=boss, name="Cup", start=True, system="double-knock-out", format=SHORT
    )
    factories.finish(cup.matches.earliest("pk"))  # so that there is something to tell
    content_cache.recompute_all(kinds.KINDS)
    watched.page.set_viewport_size({"width": 1440, "height": 900})
    watched.page.goto(f"{live_server.url}{page}")
    names, reaching = watched.page.evaluate(REACHING)
    assert {"Grand final", "Grand final again"} <= set(names)
    assert reaching == []


@pytest.mark.parametrize("entrants", [3, 4, 8])
def test_both_trees_of_a_double_knock_out_lead_to_the_final(
    live_server: Any, watched: Watched, entrants: int
) -> None:
    factories.tournament(entrants, name="Cup", start=True, system="double-knock-out")
    watched.page.set_viewport_size({"width": 1440, "height": 900})
    watched.page.goto(f"{live_server.url}/tournaments/cup/bracket/")
    places = {name: (x, y) for name, x, y in watched.page.evaluate(PLACES)}
    winners = max(place for name, place in places.items() if name.startswith("Winners"))
    losers = max(place for name, place in places.items() if name.startswith("Losers"))
    x, y = places["Grand final"]
    assert x > max(winners[0], losers[0])
    assert winners[1] < y < losers[1]
    # One vertical line: that of the winners ends where that of the losers begins, or below.
    first, second = watched.page.evaluate(LINES)
    assert abs(first["x"] - second["x"]) <= 1
    assert first["top"] < y < second["bottom"]
    assert first["bottom"] >= second["top"]
    whole(watched)
    watched.page.set_viewport_size({"width": 390, "height": 800})
    assert len({x for _, x, _ in watched.page.evaluate(PLACES)}) == 1
    whole(watched)


@pytest.mark.parametrize(
    ("scheme", "scripts"),
    [
        pytest.param("light", True, id="light-scripts"),
        pytest.param("dark", False, id="dark-none"),
        pytest.param("dark", True, id="dark-scripts", marks=FULL_SIZE_ONLY),
        pytest.param("light", False, id="light-none", marks=FULL_SIZE_ONLY),
    ],
)
def test_an_export_is_made_and_then_there(
    live_server: Any,
    opened: Opened,
    scheme: Any,
    scripts: bool,
) -> None:
    cup = factories.tournament(3, start=True, rated=False)
    factories.finish_all(cup)
    bound = files.ARCHIVE.uncached_matches
    object.__setattr__(files.ARCHIVE, "uncached_matches", 0)
    watched = opened(DESK, color_scheme=scheme, java_script_enabled=scripts)
    page = watched.page
    try:
        page.goto(f"{live_server.url}/tournaments/{cup.slug}/")
        page.get_by_role("link", name="Export").click()
        page.get_by_role("button", name="Create").click()
        expect(page.get_by_text("in progress …")).to_be_visible()
        # Nothing new comes, so that nothing changes while the page is looked over.
        page.route("**/*", lambda route: route.fulfill(status=204))
        fits(watched, scripts=scripts)
        content_cache.compute_due([files.ARCHIVE])
        page.unroute("**/*")
        if not scripts:
            page.get_by_role("link", name="Reload").click()
        expect(page.get_by_role("link", name="ZIP")).to_be_visible(timeout=30_000)
        fits(watched, scripts=scripts)
    finally:
        object.__setattr__(files.ARCHIVE, "uncached_matches", bound)


def fits(watched: Watched, *, scripts: bool) -> None:
    """At every width; what looks it over needs scripts."""
    for width in (390, 1024, 1440):
        watched.page.set_viewport_size({"width": width, "height": 900})
        if scripts:
            whole(watched)


def test_times_are_the_readers(live_server: Any, opened: Opened) -> None:
    """What a page says in UTC is told in the reader's own time zone."""
    factories.tournament(4, name="Cup", start=True)
    factories.finish_all(Tournament.objects.get(slug="cup"))
    Tournament.objects.filter(slug="cup").update(finished=datetime(2026, 3, 1, 20, 30, tzinfo=UTC))
    page = opened(DESK, timezone_id="Asia/Tokyo").page
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
    shown = page.locator("time[datetime^='2026-03-01T20:30:00']").first
    assert shown.get_attribute("title") == "2 March 2026 at 05:30"


@pytest.mark.parametrize("width", [1280, 375])
def test_several_stages_fit_the_screen(live_server: Any, opened: Opened, width: int) -> None:
    stages = [
        {"system": "swiss", "groups": 1, "settings": {"rounds": 3}},
        {"system": "knock-out", "groups": 1, "take": 4},
    ]
    names = ("Magpie", "Jay", "Rook", "凪 Nagi", "Raven", "Wren")
    bots = [factories.bot(name=name) for name in names]
    cup = factories.tournament(bots, name="Cup", start=True, stages=stages)
    for _ in range(4):
        chosen_winners.play_round(cup, names)
    watched = opened({"width": width, "height": 800})
    for tab in ("", "standings/", "matches/"):
        watched.page.goto(f"{live_server.url}/tournaments/cup/{tab}")
        whole(watched)
