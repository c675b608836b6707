"""The page's table: rows of a new run take the place of those of the same scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.table import BEGIN, END, PAGE, Row, Table

CLEAN = {"running": 0, "states": ["finished"], "rebuilt_the_same": True}


def row(scenario: str, matches: int = 1, **bad: int) -> Row:
    counts = {"lost": 0, "doubled": 0, "stuck": 0, "wrong": 0, "blamed": 0} | bad
    found = {"matches": matches, **counts, "attempts": 3, "stored": 1, "longest_wait": 1.6}
    return Row.from_counts(scenario, "SQLite", {"kills": 2}, found, 0)


def test_rows_take_the_place_of_their_own(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{BEGIN}\n{END}\nAfter.\n")
    Table([row("a"), row("b")]).write(page)
    Table([row("b", matches=7), row("c")]).write(page)
    text = page.read_text()
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    found = [line.split(" | ")[:3] for line in text.splitlines() if line.startswith("|")][2:]
    assert found == [["| a", "SQLite", "1"], ["| b", "SQLite", "7"], ["| c", "SQLite", "1"]]


def test_the_page_has_a_place_for_it() -> None:
    assert PAGE.read_text().count(BEGIN) == PAGE.read_text().count(END) == 1


def test_a_clean_row_is_one_with_nothing_in_it() -> None:
    row("a").must_be_clean(CLEAN, "")
    with pytest.raises(AssertionError, match="'stuck': 2"):
        row("a", stuck=2).must_be_clean(CLEAN, "")
    with pytest.raises(AssertionError, match="'blamed': 1"):
        row("a", blamed=1).must_be_clean(CLEAN, "")
    with pytest.raises(AssertionError):
        row("a").must_be_clean(CLEAN | {"running": 1}, "")
