"""Playback of other players’ moves at a table: each card is shown before it captures."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cardroom_tables.models import Table
from tests.browser.conftest import OpenTab
from tests.browser.prepared_tables import advance, new_table, open_table, play_as_person
from tests.browser.tables import DESK
from tests.pages.finished import match as match_of
from tests.pages.finished import play as play_match
from tests.play.hall import play_bots

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]

PACE = "localStorage.setItem('cardroom.play.pace', '{}')"
# Record what is visible in each part of each move.
RECORD_NOTES = """
  window.notes = []
  addEventListener('DOMContentLoaded', () => {
    const felt = document.querySelector('[data-part="felt"]')
    if (!felt) return
    const texts = selector => [...felt.querySelectorAll(selector)].map(one => one.textContent)
    const note = () => notes.push({
      part: felt.dataset.phase ?? '', move: felt.dataset.move ?? '',
      shown: [...felt.querySelectorAll('.shown [data-card]')].map(card => card.dataset.card),
      taken: felt.querySelectorAll('.taken').length, sums: texts('.sum'),
      counts: texts('[data-pile] b, .held').join(' '),
      said: document.querySelector('[data-part="said"]').textContent,
    })
    new MutationObserver(note).observe(felt, { attributes: true, attributeFilter: ['data-phase'] })
  })
"""
# The shown card at the calm pace stays until the test ends it.
HOLD_SHOWN_CARD = """
  const timer = window.setTimeout
  window.setTimeout = (then, ms, ...more) => timer(then, ms === 1200 ? 1e8 : ms, ...more)
"""
CASSINO = "cassino/standard/1v1?deals=1"


def wait_until_settled(page: Page, moves: int) -> None:
    """Wait until the page shows this number of moves and no animation runs."""
    page.wait_for_function(
        """moves => Number(document.querySelector('.play').dataset.n) >= moves
          && !document.querySelector('[data-part="felt"]').dataset.phase""",
        arg=moves,
    )


def play_rounds(page: Page, key: str, count: int) -> list[dict[str, Any]]:
    """Play `count` moves of the person and the bots' answers; return the notes."""
    rng = Random(5)
    for _ in range(count):
        if Table.objects.get(key=key).over:
            break
        if not Table.objects.get(key=key).bots_turn:
            play_as_person(page, rng=rng)
        play_bots()
        wait_until_settled(page, Table.objects.get(key=key).moves)
    return list(page.evaluate("notes"))


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_card_is_shown_before_its_capture_and_the_count_after(
    live_server: Any, open_tab: OpenTab, motion: str
) -> None:
    page = open_tab(DESK, reduced_motion=motion).page
    page.add_init_script(PACE.format("normal") + RECORD_NOTES)
    key = new_table(page, live_server.url, CASSINO)
    advance(key, lambda table: table.moves >= 8 and not table.bots_turn)
    open_table(page, live_server.url, key)
    notes = play_rounds(page, key, 7)
    moves: dict[str, list[Any]] = {
        note["move"]: [] for note in notes if note["part"] == "ring" and note["taken"]
    }
    assert moves, "no move captured"
    for note in notes:
        if note["move"] in moves:
            moves[note["move"]].append(note)
    for parts in moves.values():
        names = list(dict.fromkeys(note["part"] for note in parts))
        assert names[: names.index("ring") + 1] == ["wait", "shown", "ring"]
        shown, ring = (next(part for part in parts if part["part"] == n) for n in ("shown", "ring"))
        assert len(shown["shown"]) == 1
        assert not shown["taken"]
        assert ring["shown"] == shown["shown"]
        assert ring["taken"]
        assert ring["sums"]
        assert shown["counts"] == ring["counts"], "counts change when the cards arrive"
        assert "takes" in ring["said"]
        assert shown["said"] != ring["said"]


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("canasta/classic/2v2?deals=1", 30),
        ("spoon-eye/standard/ffa3", 12),
        ("zwicker/grupp/ffa4?deals=1", 8),
        ("paks/standard/2v2", 12),
    ],
)
def test_each_move_of_others_shows_its_card_in_order(
    live_server: Any, open_tab: OpenTab, text: str, moves: int
) -> None:
    page = open_tab(DESK).page
    page.add_init_script(PACE.format("fast") + RECORD_NOTES)
    key = new_table(page, live_server.url, text)
    advance(key, lambda table: table.moves >= moves and not table.bots_turn)
    open_table(page, live_server.url, key)
    notes = [note for note in play_rounds(page, key, 6) if note["move"]]
    moves_played = dict(Table.objects.get(key=key).played.values_list("n", "move"))
    seats = dict(Table.objects.get(key=key).played.values_list("n", "seat"))
    order = [int(note["move"]) for note in notes]
    assert order == sorted(order), "a move began before the previous one had ended"
    moves_shown = {int(note["move"]) for note in notes if note["shown"]}
    prefixes = ("draw", "pass", "end", "take", "ask", "yes", "no", "R")
    cards = {n for n in set(order) if seats[n] != 0 and not moves_played[n].startswith(prefixes)}
    assert cards
    assert cards <= moves_shown


def test_cards_can_be_picked_while_others_move(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    page.add_init_script(PACE.format("calm") + HOLD_SHOWN_CARD)
    key = new_table(page, live_server.url, CASSINO)
    advance(key, lambda table: table.moves >= 2 and not table.bots_turn)
    open_table(page, live_server.url, key)
    play_as_person(page)
    play_bots()
    page.locator('[data-phase="shown"]').wait_for()
    page.locator(".hand .thing").first.click()
    expect(page.locator('[data-phase="shown"]')).to_have_count(1)
    expect(page.locator(".hand .picked")).to_have_count(1)
    page.keyboard.press("Escape")
    page.locator(".felt").click(position={"x": 4, "y": 200})  # ends the playback
    wait_until_settled(page, Table.objects.get(key=key).moves)
    expect(page.locator(".chip.turn")).to_be_visible()


def test_a_hidden_tab_plays_moves_back_only_on_request(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    hidden = "Object.defineProperty(document, 'hidden', { get: () => window.away ?? false })"
    page.add_init_script(PACE.format("fast") + RECORD_NOTES + hidden)
    key = new_table(page, live_server.url, "cassino/standard/ffa3?deals=1")
    advance(key, lambda table: table.moves >= 3 and not table.bots_turn)
    open_table(page, live_server.url, key)
    set_hidden = (
        "away => { window.away = away; document.dispatchEvent(new Event('visibilitychange')) }"
    )
    page.evaluate(set_hidden, True)
    play_as_person(page)
    play_bots()
    page.evaluate(set_hidden, False)
    expect(page.locator(".p-why")).to_contain_text("Two moves while you were away.")
    assert not [note for note in page.evaluate("notes") if note["shown"]]
    page.get_by_role("button", name="Show them").click()
    wait_until_settled(page, Table.objects.get(key=key).moves)
    assert len({note["move"] for note in page.evaluate("notes") if note["shown"]}) == 2


def test_the_pace_persists(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK).page
    key = new_table(page, live_server.url, CASSINO)
    open_table(page, live_server.url, key)
    expect(page.get_by_label("Normal")).to_be_checked()
    page.get_by_label("Fast").check(force=True)
    open_table(page, live_server.url, key)
    expect(page.get_by_label("Fast")).to_be_checked()


# --- the modules, with a clock of the tests -------------------------------------------------------


@pytest.fixture
def module_page(live_server: Any, open_tab: OpenTab) -> Page:
    """A page of the site, which can import its modules."""
    page = open_tab(DESK).page
    page.goto(f"{live_server.url}/games/")
    return page


def durations_of(page: Page, pace: str, moves: list[list[bool]]) -> list[int]:
    """The durations of consecutive moves; each is given as (shows a card, captures)."""
    return list(
        page.evaluate(
            """async ([pace, moves]) => {
              const { timesOf } = await import('/static/cardroom/board/pace.js')
              let spent = 0
              return moves.map(([shows, takes], at) => {
                const turn = { isFirst: at === 0, spent, left: moves.length - at, rested: 0 }
                const { wait, shown, ring, arrive } = timesOf(pace, { shows, takes }, turn)
                spent += wait + shown + ring + arrive
                return wait + shown + ring + arrive
              })
            }""",
            [pace, moves],
        )
    )


def test_durations_of_moves_at_each_pace(module_page: Page) -> None:
    for pace, capture, trail in (
        ("calm", 3350, 2450),
        ("normal", 1750, 1350),
        ("fast", 350, 350),
    ):
        assert durations_of(module_page, pace, [[True, True]]) == [capture]
        assert durations_of(module_page, pace, [[True, False]]) == [trail]
    assert durations_of(module_page, "normal", [[True, True]] * 3) == [1750, 1250, 1250]
    assert min(durations_of(module_page, "normal", [[False, False]] * 2)) >= 500


def test_the_moves_of_others_last_at_most_six_seconds(module_page: Page) -> None:
    rng = Random(3)
    for pace in ("calm", "normal", "fast"):
        for count in (*range(1, 18), 40):
            moves = [[rng.random() < 0.8, rng.random() < 0.5] for _ in range(count)]
            durations = durations_of(module_page, pace, moves)
            assert sum(durations) <= 6000, (pace, count)
            card_times = [
                duration for duration, (shows, _) in zip(durations, moves, strict=True) if shows
            ]
            assert min(card_times, default=100) >= 100


SEQUENCE = """async () => {
  const { Sequence } = await import('/static/cardroom/board/sequence.js')
  const waiting = []
  const clock = { now: () => 0, after: (ms, then) => {
    const entry = { ms, then }
    waiting.push(entry)
    return () => waiting.splice(waiting.indexOf(entry), 1)
  } }
  const steps = [[['a1', 5], ['a2', 5]], [], [['b1', 0], ['b2', 5]], [['c1', 5]]]
  const said = []
  const show = { next: () => steps.shift() ?? null, enter: (part, ms) => said.push(`${part} ${ms}`),
    done: () => said.push('done') }
  const sequence = new Sequence(clock, show)
  const tick = () => { said.push('tick'); waiting.shift().then() }
  sequence.start()
  sequence.start()
  tick()
  sequence.finish()
  tick()
  sequence.finish()
  return [said, waiting.length, sequence.isRunning]
}"""


def test_one_step_ends_before_the_next_begins(module_page: Page) -> None:
    log, waiting, running = module_page.evaluate(SEQUENCE)
    parts = ["a1 5", "tick", "a2 5", "b1 0", "b2 5", "tick", "c1 5", "done"]
    assert log == parts
    assert (waiting, running) == (0, False)


def test_captures_are_described_by_sums(module_page: Page) -> None:
    def groups(taker: dict[str, Any], *items: tuple[str, list[int]]) -> list[str]:
        lying: list[dict[str, Any]] = [
            {"path": f"table.{index}", "rank": rank, "values": values, "sign": rank}
            for index, (rank, values) in enumerate(items)
        ]
        sums = module_page.evaluate(
            """async ([taker, items]) => {
              const { groupsOf } = await import('/static/cardroom/board/sums.js')
              return groupsOf(taker, items)
            }""",
            [taker, lying],
        )
        paths = [path for group in sums for path in group["paths"]]
        assert sorted(paths) == sorted(item["path"] for item in lying)
        return sorted(group["words"] for group in sums)

    eight = {"rank": "8", "values": [8]}
    assert groups(eight, ("A", [1]), ("7", [7]), ("8", [8])) == ["1 + 7 = 8", "8"]
    assert groups(eight, ("2", [2]), ("6", [6]), ("3", [3]), ("5", [5])) == [
        "2 + 6 = 8",
        "3 + 5 = 8",
    ]
    assert groups({"rank": "K", "values": [13]}, ("K", []), ("K", [])) == ["K", "K"]
    ace = {"rank": "A", "values": [1, 11]}
    assert groups(ace, ("4", [4]), ("7", [7])) == ["4 + 7 = 11"]
    joker = {"rank": None, "values": list(range(2, 15))}
    assert groups(joker, ("9", [9]), ("2", [2])) == ["9 + 2 = 11"]
    assert groups(eight, ("3", [3])) == [""]  # no known sum: it is ringed nevertheless
    many_items = [(str(value), [value, value + 10]) for value in (2, 3, 4, 5, 6, 7)] * 4
    assert len(groups({"rank": None, "values": [5]}, *many_items)) == len(many_items)


# --- the same in replays and in running matches ---------------------------------------------------

# Record the number of shown and taken cards in each part of each move.
RECORD_BOARD_NOTES = """
  window.notes = []
  addEventListener('DOMContentLoaded', () => {
    const board = document.querySelector('[data-part="board"]')
    if (!board) return
    const note = () => board.dataset.move && notes.push({
      part: board.dataset.phase, move: board.dataset.move,
      shown: board.querySelectorAll('.shown [data-card]').length,
      taken: board.querySelectorAll('.taken').length,
    })
    new MutationObserver(note).observe(board, { attributes: true, attributeFilter: ['data-phase'] })
  })
"""


def count_captures(notes: list[dict[str, Any]]) -> int:
    """The number of captures; asserts that moves are ordered and each capture shows its card."""
    order = [int(note["move"]) for note in notes]
    assert order == sorted(order)
    rings = [(index, note) for index, note in enumerate(notes) if note["part"] == "ring"]
    taking = [(index, note) for index, note in rings if note["taken"]]
    for index, note in taking:
        earlier_parts = [
            earlier["part"] for earlier in notes[:index] if earlier["move"] == note["move"]
        ]
        assert earlier_parts[-1] == "shown"
        assert note["shown"]
        assert "wait" in earlier_parts or note["move"] == notes[0]["move"], "no pause before it"
    return len(taking)


@pytest.mark.parametrize("text", ["cassino/standard/2v2?deals=1", "paks/standard/2v2?deals=1"])
def test_a_replay_shows_moves_like_a_table(live_server: Any, open_tab: OpenTab, text: str) -> None:
    page = open_tab(DESK).page
    page.add_init_script(RECORD_BOARD_NOTES)
    match = match_of(play_match(text))
    page.goto(f"{live_server.url}/matches/{match.pk}/#move-20")
    page.locator("[data-replay].ready").wait_for()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => notes.filter(one => one.part === 'ring' && one.taken).length > 1")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".board [class*=shown], .board .sum, .board .taken")).to_have_count(0)
    assert count_captures(page.evaluate("notes")) > 1


def test_a_running_match_shows_moves_like_a_table(live_server: Any, open_tab: OpenTab) -> None:
    page = open_tab(DESK, reduced_motion="no-preference").page
    page.add_init_script(RECORD_BOARD_NOTES)
    match_of(play_match("cassino/standard/2v2?deals=1"))
    page.goto(f"{live_server.url}/")
    page.wait_for_function("() => notes.filter(one => one.part === 'ring' && one.taken).length > 0")
    assert count_captures(page.evaluate("notes")) > 0
