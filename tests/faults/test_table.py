"""The table in the docs page: rows of a new run replace older rows of the same scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.table import BEGIN, END, PAGE, FaultRow, FaultTable

CLEAN = {"running": 0, "states": ["finished"], "rebuild_matches": True}


def row(scenario: str, matches: int = 1, **problems: int) -> FaultRow:
    zeros = {"lost": 0, "doubled": 0, "stuck": 0, "wrong": 0, "blamed": 0}
    attempts = {"attempts": 3, "stored": 1, "longest_wait": 1.6}
    counts = {"matches": matches, **zeros, **problems, **attempts}
    return FaultRow.from_counts(scenario, "SQLite", {"kills": 2}, counts, 0)


def test_new_rows_replace_rows_of_the_same_scenario(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{BEGIN}\n{END}\nAfter.\n")
    FaultTable([row("a"), row("b")]).write(page)
    FaultTable([row("b", matches=7), row("c")]).write(page)
    text = page.read_text()
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    rows = [line.split(" | ")[:3] for line in text.splitlines() if line.startswith("|")][2:]
    assert rows == [["| a", "SQLite", "1"], ["| b", "SQLite", "7"], ["| c", "SQLite", "1"]]


def test_the_docs_page_has_both_markers_once() -> None:
    assert PAGE.read_text().count(BEGIN) == PAGE.read_text().count(END) == 1


def test_a_row_with_a_problem_is_not_clean() -> None:
    row("a").check_is_clean(CLEAN, "")
    with pytest.raises(AssertionError, match="'stuck': 2"):
        row("a", stuck=2).check_is_clean(CLEAN, "")
    with pytest.raises(AssertionError, match="'blamed': 1"):
        row("a", blamed=1).check_is_clean(CLEAN, "")
    with pytest.raises(AssertionError):
        row("a").check_is_clean(CLEAN | {"running": 1}, "")
