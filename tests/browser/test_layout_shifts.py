"""The layout of a table stays in place while the page loads and bots play."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import OpenTab
from tests.browser.prepared_tables import new_table, open_table, play_as_person
from tests.browser.tables import DESK, FAST, MOVES_KNOWN, PHONE, await_turn, moves_known
from tests.full_size import FULL_SIZE_ONLY

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_bots"),
]
FIRST = "cassino/standard/1v1?deals=1"
OTHERS = ("canasta/classic/1v1", "spoon-eye/standard/1v1", "zwicker/grupp/1v1", "paks/standard/1v1")
LIST_SHIFTS = """
  window.shifts = []
  const part = node => node?.className ?? node?.parentElement?.className
  new PerformanceObserver(list => {
    for (const { value, sources } of list.getEntries())
      shifts.push([value, ...sources.map(one => part(one.node))])
  }).observe({ type: 'layout-shift', buffered: true })"""


@pytest.mark.parametrize(
    "text", [FIRST, *(pytest.param(text, marks=FULL_SIZE_ONLY) for text in OTHERS)]
)
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["390", "1440"])
def test_a_table_stays_in_place_while_it_loads_and_plays(
    live_server: Any, open_tab: OpenTab, size: dict[str, int], text: str
) -> None:
    page = open_tab(size).page
    page.add_init_script(LIST_SHIFTS + "\n" + FAST)
    open_table(page, live_server.url, new_table(page, live_server.url, text))
    for _ in range(3):
        assert await_turn(page) != "over"
        known = moves_known(page)
        play_as_person(page)
        page.wait_for_function(f"before => ({MOVES_KNOWN})() > before", arg=known)
    shifts = page.evaluate("shifts")
    assert sum(value for value, *_ in shifts) < 0.05, shifts
