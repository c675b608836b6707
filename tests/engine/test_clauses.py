"""Every clause of Cassino's document is cited in the engine and in its tests."""

from typing import Any

import pytest

from tests.engine.documents import cited, clauses_of


@pytest.mark.parametrize("folder", ["engine", "tests/engine"])
def test_clauses_are_cited(folder: Any) -> None:
    clauses = clauses_of("cassino.md", "CAS")
    assert clauses == set(range(1, 52))
    assert sorted(clauses - cited(folder, "CAS")) == []
