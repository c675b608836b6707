"""Each game's table in a real browser shows the spectators' view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine.english import seat_name, side_name
from tests.browser.conftest import Tab
from tests.browser.test_replay import visit
from tests.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAMPLED_FRAMES = 16
"""The number of frames of a match that are checked, besides the last."""

# Pass through a deal within the page, and read the table at each `step`-th frame.
READ_FRAMES = """(step) => {
  const all = (root, selector, what) => [...root.querySelectorAll(selector)].map(what)
  const cards = (root) => all(root, '.card[data-card]', (card) => card.dataset.card)
  const tagged = (root) => [cards(root), root.querySelector('.tag').textContent]
  const bySeat = (selector, what) => Object.fromEntries(
    all(document, '[data-seat]', (seat) => [seat.dataset.seat, all(seat, selector, what)]))
  const last = Number(document.querySelector('[role=slider]').getAttribute('aria-valuemax'))
  const frames = []
  for (let at = 0; ; at = Math.min(at + step, last)) {
    document.querySelector(`.moves [data-at="${at}"]`).click()
    frames.push({
      at,
      hands: bySeat('[data-hand] .card', (card) => card.dataset.card ?? 'back'),
      loose: all(document, '.lie>.loose .card', (card) => card.dataset.card),
      builds: all(document, '.build[data-item]', tagged),
      captions: all(document, '.build[data-item] p', (p) => p.textContent),
      piles: Object.fromEntries(all(document, '[data-pile]', (pile) => [pile.dataset.pile, {
        label: pile.querySelector('.pile').ariaLabel,
        crosswise: pile.querySelectorAll('.sweep').length,
        doubled: all(pile, '.doubled', (card) => card.dataset.card),
      }])),
      masts: bySeat('.mast', tagged),
      raised: all(document, '.raised', tagged),
      suits: all(document, '.suit', (suit) => [suit.dataset.suit, cards(suit), suit.textContent]),
      paks: bySeat('.pak', tagged),
      trays: all(document, '.melds', (tray) => ({
        label: tray.ariaLabel,
        head: tray.querySelector('header').textContent,
        melds: all(tray, '.meld[data-item]', (meld) => ({
          rank: meld.dataset.item,
          label: meld.ariaLabel,
          cards: cards(meld),
          dots: [meld.querySelectorAll('.on').length, meld.querySelectorAll('.wild').length],
        })),
        reds: all(tray, '.red3 .card', (card) => card.dataset.card),
      })),
      groups: all(document, '.table [role=group]', (group) => group.ariaLabel),
      resting: all(document, '[data-seat]', (seat) => seat).filter((seat) =>
        seat.textContent.includes('rests')).map((seat) => Number(seat.dataset.seat)),
      middle: document.querySelector('.table').textContent,
      tooWide: document.documentElement.scrollWidth - innerWidth,
    })
    if (at === last) return frames
  }
}"""
Shown = Mapping[str, Any]
View = Mapping[str, Any]


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def texts(keys: Mapping[str, Any]) -> list[Any]:
    """The values, in the order of their keys, which are seats or sides."""
    return [keys[key] for key in sorted(keys, key=int)]


def sampled_frames(live_server: Any, tab: Tab, form: str) -> Iterator[tuple[Shown, View]]:
    """Pairs of a frame on the page, at 1280 px, and its spectators' view."""
    record = finished.play(form)
    page = visit(live_server, tab, record)
    frames = list(record.frames())
    for shown in page.evaluate(READ_FRAMES, max(1, len(frames) // SAMPLED_FRAMES)):
        view = frames[shown["at"]]["view"]
        assert texts(shown["hands"]) == view["hands"]
        assert shown["tooWide"] <= 0
        assert all(shown["groups"])
        yield shown, view
    assert_fits_a_phone(page)


def assert_fits_a_phone(page: Page) -> None:
    """Assert that a phone scrolls in one direction only, at the end and the start of the match."""
    page.set_viewport_size({"width": 375, "height": 800})
    for key in ("End", "Home"):
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") == 375


def check_zwicker(shown: Shown, view: View) -> None:
    loose = [item["cards"][0] for item in view["table"] if item["kind"] == "card"]
    builds = [item for item in view["table"] if item["kind"] == "sum"]
    assert sorted(shown["loose"]) == sorted(loose)
    builds_shown = sorted((cards, tag) for cards, tag in shown["builds"])
    assert builds_shown == sorted((item["cards"], str(item["value"])) for item in builds)
    captions = sorted(f"laid by {seat_name(len(view['hands']), item['by'])}" for item in builds)
    builders = [
        caption.partition("laid by ")[2].removesuffix(", just now") for caption in shown["captions"]
    ]
    assert sorted(f"laid by {builder}" for builder in builders) == captions
    for side, pile in enumerate(texts(shown["piles"])):
        assert pile["label"].endswith(count_of(len(view["captured"][side]), "card"))
        assert pile["crosswise"] == min(3, view["zwicks"].count(side))


def check_spoon_eye(shown: Shown, view: View) -> None:
    masts_shown = [[(cards, int(tag)) for cards, tag in row] for row in texts(shown["masts"])]
    masts = [
        list(zip(*pair, strict=True)) for pair in zip(view["masts"], view["values"], strict=True)
    ]
    assert masts_shown == masts
    if view["raised"]:
        assert shown["raised"] == [[view["raised"]["cards"], "21"]]
    for pile, won in zip(texts(shown["piles"]), view["won"], strict=True):
        total = len(won["single"]) + len(won["double"])
        assert pile["label"].endswith(f"{count_of(total, 'card')}, {len(won['double'])} doubled")
        assert pile["doubled"] == won["double"]


def check_paks(shown: Shown, view: View) -> None:
    values = {"A": 20, "K": 10, "Q": 10, "J": 10, "T": 10}
    prices = [
        sorted((pak, str(sum(values.get(card[0]) or int(card[0]) for card in pak))) for pak in row)
        for row in view["paks"]
    ]
    paks_shown = [sorted((cards, price) for cards, price in row) for row in texts(shown["paks"])]
    assert paks_shown == prices
    for suit, cards, text in shown["suits"]:
        assert cards == [card for card in view["board"] if card[1] == suit]
        assert cards or "goes here" in text


def check_canasta(shown: Shown, view: View) -> None:
    seats = len(view["hands"])
    trays = {tray["label"]: tray for tray in shown["trays"]}
    assert len(trays) == len(view["sides"])
    for side, melds in enumerate(view["melds"]):
        tray = trays[f"melds of {side_name(view['sides'], side)}"]
        members = view["sides"][side]
        assert tray["reds"] == [card for seat in members for card in view["red3_cards"][seat]]
        assert [meld["rank"] for meld in tray["melds"]] == [meld["rank"] for meld in melds]
        for meld_shown, meld in zip(tray["melds"], melds, strict=True):
            check_meld(meld_shown, meld)
    assert shown["resting"] == [seat for seat in range(seats) if seat not in view["chairs"]]
    if view["to_act"] is not None:
        pile = view["pile"]
        state = count_of(pile["size"], "card") + (", frozen" if pile["frozen"] else "")
        assert f"discard pile: {state if pile['size'] else 'empty'}" in shown["groups"]


def check_meld(shown: Mapping[str, Any], meld: Mapping[str, Any]) -> None:
    size = len(meld["cards"])
    natural = min(size, 7) - meld["wild"]
    assert shown["dots"] == [natural, meld["wild"]]
    if meld["canasta"]:
        assert shown["label"].startswith(f"{meld['canasta']} canasta")
        assert len(shown["cards"]) == 1
    else:
        assert shown["cards"] == meld["cards"]
        assert f"{size} of 7" in shown["label"]


@pytest.mark.parametrize(
    ("form", "check"),
    [
        ("zwicker/christiansen/1v1?deals=1", check_zwicker),
        ("zwicker/grupp/ffa6?deals=1", check_zwicker),
        ("spoon-eye/basic/ffa3", check_spoon_eye),
        ("spoon-eye/standard/2v2?deals=1", check_spoon_eye),
        ("paks/standard/1v1?deals=1", check_paks),
        ("paks/standard/3v3?deals=1", check_paks),
        ("canasta/classic/1v2?deals=1", check_canasta),
        ("canasta/classic/3v2-rest?deals=1", check_canasta),
    ],
)
def test_a_frame_shows_the_spectators_view(
    live_server: Any, tab: Tab, form: str, check: Callable[[Shown, View], None]
) -> None:
    for shown, view in sampled_frames(live_server, tab, form):
        check(shown, view)


@pytest.mark.parametrize("form", ["zwicker/grupp/ffa8?deals=1", "canasta/classic/2v2v2?deals=1"])
def test_a_wide_table_has_each_seat_once(live_server: Any, tab: Tab, form: str) -> None:
    page = visit(live_server, tab, finished.play(form), "#move-20")
    seats = page.locator("[data-seat]")
    boxes = [box for box in (seat.bounding_box() for seat in seats.all()) if box is not None]
    assert len(boxes) == len(page.locator("[data-from]").all()) - 1
    middles = {(round(b["x"] + b["width"] / 2), round(b["y"] + b["height"] / 2)) for b in boxes}
    assert len(middles) == len(boxes)
    page.keyboard.press(str(len(boxes)))
    expect(page.locator(f".g-s [data-hand='{len(boxes) - 1}']")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    assert_fits_a_phone(page)


@pytest.mark.parametrize(
    "form", ["canasta/classic/2v2", "spoon-eye/standard/ffa4", "paks/standard/2v2"]
)
def test_the_match_fits_a_small_laptop(live_server: Any, tab: Tab, form: str) -> None:
    page = visit(live_server, tab, finished.play(f"{form}?deals=1"), "#move-30")
    for key in ("ArrowRight", "End", "Home"):
        bottom = page.evaluate("document.querySelector('.line').getBoundingClientRect().bottom")
        assert bottom + page.evaluate("scrollY") <= 900
        page.keyboard.press(key)
