"""Each game's table in a real browser: what the spectators' view says is what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine.english import seat_name, side_name
from tests.browser.conftest import Watched
from tests.browser.test_replay import visit
from tests.pages import finished

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STOPS = 16
"""How many frames of a match are looked at, besides the last."""

# One pass through a deal within the page: what lies on the table at each `step`-th frame.
SHOWN = """(step) => {
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


def count(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def texts(keys: Mapping[str, Any]) -> list[Any]:
    """What is shown by seat or by side, in the order of the seats or sides."""
    return [keys[key] for key in sorted(keys, key=int)]


def walk(live_server: Any, watched: Watched, form: str) -> Iterator[tuple[Shown, View]]:
    """What the page shows and what the spectators' view holds, at 1280 px."""
    record = finished.play(form)
    page = visit(live_server, watched, record)
    frames = list(record.frames())
    for one in page.evaluate(SHOWN, max(1, len(frames) // STOPS)):
        view = frames[one["at"]]["view"]
        assert texts(one["hands"]) == view["hands"]
        assert one["tooWide"] <= 0
        assert all(one["groups"])
        yield one, view
    fits_a_phone(page)


def fits_a_phone(page: Page) -> None:
    """A phone scrolls in one direction, at the end and in the middle of the match."""
    page.set_viewport_size({"width": 375, "height": 800})
    for at in ("End", "Home"):
        page.keyboard.press(at)
        assert page.evaluate("document.documentElement.scrollWidth") == 375


def zwicker(one: Shown, view: View) -> None:
    loose = [item["cards"][0] for item in view["table"] if item["kind"] == "card"]
    builds = [item for item in view["table"] if item["kind"] == "sum"]
    assert sorted(one["loose"]) == sorted(loose)
    drawn = sorted((cards, tag) for cards, tag in one["builds"])
    assert drawn == sorted((item["cards"], str(item["value"])) for item in builds)
    laid = sorted(f"laid by {seat_name(len(view['hands']), item['by'])}" for item in builds)
    words = [
        caption.partition("laid by ")[2].removesuffix(", just now") for caption in one["captions"]
    ]
    assert sorted(f"laid by {word}" for word in words) == laid
    for side, pile in enumerate(texts(one["piles"])):
        assert pile["label"].endswith(count(len(view["captured"][side]), "card"))
        assert pile["crosswise"] == min(3, view["zwicks"].count(side))


def spoon_eye(one: Shown, view: View) -> None:
    drawn = [[(cards, int(tag)) for cards, tag in row] for row in texts(one["masts"])]
    told = [
        list(zip(*both, strict=True)) for both in zip(view["masts"], view["values"], strict=True)
    ]
    assert drawn == told
    if view["raised"]:
        assert one["raised"] == [[view["raised"]["cards"], "21"]]
    for pile, won in zip(texts(one["piles"]), view["won"], strict=True):
        total = len(won["single"]) + len(won["double"])
        assert pile["label"].endswith(f"{count(total, 'card')}, {len(won['double'])} doubled")
        assert pile["doubled"] == won["double"]


def paks(one: Shown, view: View) -> None:
    plain = {"A": 20, "K": 10, "Q": 10, "J": 10, "T": 10}
    prices = [
        sorted((pak, str(sum(plain.get(card[0]) or int(card[0]) for card in pak))) for pak in row)
        for row in view["paks"]
    ]
    drawn = [sorted((cards, price) for cards, price in row) for row in texts(one["paks"])]
    assert drawn == prices
    for suit, cards, words in one["suits"]:
        assert cards == [card for card in view["board"] if card[1] == suit]
        assert cards or "goes here" in words


def canasta(one: Shown, view: View) -> None:
    seats = len(view["hands"])
    trays = {tray["label"]: tray for tray in one["trays"]}
    assert len(trays) == len(view["sides"])
    for side, melds in enumerate(view["melds"]):
        tray = trays[f"melds of {side_name(view['sides'], side)}"]
        members = view["sides"][side]
        assert tray["reds"] == [card for seat in members for card in view["red3_cards"][seat]]
        assert [meld["rank"] for meld in tray["melds"]] == [meld["rank"] for meld in melds]
        for drawn, meld in zip(tray["melds"], melds, strict=True):
            meld_is_drawn(drawn, meld)
    assert one["resting"] == [seat for seat in range(seats) if seat not in view["chairs"]]
    if view["to_act"] is not None:
        pile = view["pile"]
        state = count(pile["size"], "card") + (", frozen" if pile["frozen"] else "")
        assert f"discard pile: {state if pile['size'] else 'empty'}" in one["groups"]


def meld_is_drawn(drawn: Mapping[str, Any], meld: Mapping[str, Any]) -> None:
    size = len(meld["cards"])
    natural = min(size, 7) - meld["wild"]
    assert drawn["dots"] == [natural, meld["wild"]]
    if meld["canasta"]:
        assert drawn["label"].startswith(f"{meld['canasta']} canasta")
        assert len(drawn["cards"]) == 1
    else:
        assert drawn["cards"] == meld["cards"]
        assert f"{size} of 7" in drawn["label"]


@pytest.mark.parametrize(
    ("form", "check"),
    [
        ("zwicker/christiansen/1v1?deals=1", zwicker),
        ("zwicker/grupp/ffa6?deals=1", zwicker),
        ("spoon-eye/basic/ffa3", spoon_eye),
        ("spoon-eye/standard/2v2?deals=1", spoon_eye),
        ("paks/standard/1v1?deals=1", paks),
        ("paks/standard/3v3?deals=1", paks),
        ("canasta/classic/1v2?deals=1", canasta),
        ("canasta/classic/3v2-rest?deals=1", canasta),
    ],
)
def test_a_frame_shows_what_the_view_says(
    live_server: Any, watched: Watched, form: str, check: Callable[[Shown, View], None]
) -> None:
    for one, view in walk(live_server, watched, form):
        check(one, view)


@pytest.mark.parametrize("form", ["zwicker/grupp/ffa8?deals=1", "canasta/classic/2v2v2?deals=1"])
def test_a_wide_table_seats_everybody_once(live_server: Any, watched: Watched, form: str) -> None:
    page = visit(live_server, watched, finished.play(form), "#move-20")
    seats = page.locator("[data-seat]")
    boxes = [box for box in (one.bounding_box() for one in seats.all()) if box is not None]
    assert len(boxes) == len(page.locator("[data-from]").all()) - 1
    middles = {(round(b["x"] + b["width"] / 2), round(b["y"] + b["height"] / 2)) for b in boxes}
    assert len(middles) == len(boxes)
    page.keyboard.press(str(len(boxes)))
    expect(page.locator(f".g-s [data-hand='{len(boxes) - 1}']")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    fits_a_phone(page)


@pytest.mark.parametrize(
    "form", ["canasta/classic/2v2", "spoon-eye/standard/ffa4", "paks/standard/2v2"]
)
def test_the_match_fits_a_small_laptop(live_server: Any, watched: Watched, form: str) -> None:
    page = visit(live_server, watched, finished.play(f"{form}?deals=1"), "#move-30")
    for key in ("ArrowRight", "End", "Home"):
        bottom = page.evaluate("document.querySelector('.line').getBoundingClientRect().bottom")
        assert bottom + page.evaluate("scrollY") <= 900
        page.keyboard.press(key)
