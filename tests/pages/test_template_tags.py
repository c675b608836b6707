"""Template tags for numbers, names and chips."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_args

import pytest
from django.utils import timezone

from bots.models import BotVersion
from cardroom.display.numbers import fraction
from cardroom.pages.tournaments.progress import CrossCell, CrossRow, CrossTable
from cardroom.templatetags import ui
from tournaments.models import Attempt, Match, Tournament
from tournaments.queue.workers import State
from tournaments.reading.entry_names import EntryNames, Member


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (2, "2"),
        (2.5, "2½"),
        (0.5, "½"),
        (0.25, "¼"),
        (3.75, "3¾"),
        (4.67, "4.67"),
        (None, "–"),
    ],
)
def test_points(value: float | None, text: str) -> None:
    assert fraction(value) == text


@pytest.mark.parametrize(("value", "text"), [(3.2, "+3"), (-3.2, "−3"), (0.2, "0"), (None, "–")])
def test_signed(value: float | None, text: str) -> None:
    assert ui.signed(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(12.46, "+12.5"), (-0.25, "−0.2"), (0.04, "0"), (-0.04, "0")]
)
def test_fine(value: float, text: str) -> None:
    assert ui.signed_decimal(value) == text


def test_ratings_have_no_separator_and_counts_have() -> None:
    assert ui.rating(1648.4) == "1648"
    assert ui.whole(20116) == "20,116"


def test_ago() -> None:
    now = timezone.now()
    for past, words in (
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=11, seconds=1), "11 min ago"),
        (timedelta(hours=2, seconds=1), "2 h ago"),
        (timedelta(days=3, seconds=1), "3 d ago"),
    ):
        assert f">{words}</time>" in ui.ago(now - past)
    assert f">{now - timedelta(days=400):%Y-%m-%d}</time>" in ui.ago(now - timedelta(days=400))
    assert ui.ago(None) == "–"


def test_columns_render_the_head_of_a_table() -> None:
    assert ui.columns("A bot", "n opt|Moves", "<b>") == (
        '<thead><tr><th scope="col">A bot</th><th scope="col" class="n opt">Moves</th>'
        '<th scope="col">&lt;b&gt;</th></tr></thead>'
    )


def test_japanese_names_have_a_lang_and_names_are_escaped() -> None:
    assert ui.with_lang("凪 Nagi") == '<span lang="ja">凪 Nagi</span>'
    assert ui.with_lang("Kestrel") == "Kestrel"
    assert "<b>" not in ui.with_lang("<b>凪")


def test_cross_table_cells_are_escaped_and_link_to_matches() -> None:
    names = [
        EntryNames("<b>A & B</b>", (Member("a", "A", 1),)),
        EntryNames("C", (Member("c", "C", 1),)),
    ]
    row: Any = None
    cells = [CrossCell("self"), CrossCell("live", 1.5, 2)]
    own, other = CrossRow(row, names[1], cells[::-1]), CrossRow(row, names[0], cells)
    html = ui.cross_cells(CrossTable([other, own], 0), own, "/matches/", "cup")
    assert html == (
        '<td class="x"><a class="cell live" '
        'href="/matches/?tournament=cup&amp;bot=c&amp;against=a&amp;state=all">'
        '1½<span class="vh"> of 2 so far against &lt;b&gt;A &amp; B&lt;/b&gt;</span></a></td>'
        '<td class="x"><span class="cell self"></span></td>'
    )


@pytest.mark.parametrize(
    "state",
    [
        *Tournament.State.values,
        *Match.State.values,
        *BotVersion.Status.values,
        *Attempt.Outcome.values,
        *get_args(State),
    ],
)
def test_every_state_has_an_icon(state: str) -> None:
    assert state in ui.STATES
    chip = ui.state(state)
    assert "<svg" in chip
    assert chip.endswith(f"{state}</span>")


def test_each_side_has_its_own_shape() -> None:
    assert len({ui.side_shape(side) for side in range(4)}) == 4
