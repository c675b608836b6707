"""Every clause of a rules document is cited in the engine and in its tests."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = {"CAS": "cassino.md"}


def cited(folder: Path, prefix: str) -> set[int]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))
    return {int(number) for number in re.findall(rf"\b{prefix}-(\d+)", text)}


@pytest.mark.parametrize("prefix", DOCUMENTS)
@pytest.mark.parametrize("folder", ["engine", "tests/engine"])
def test_clauses_are_cited(prefix: Any, folder: Any) -> None:
    document = (ROOT / "docs" / "rules" / DOCUMENTS[prefix]).read_text(encoding="utf-8")
    clauses = {int(number) for number in re.findall(rf"\*\*{prefix}-(\d+)\*\*", document)}
    assert clauses == set(range(1, 52))
    assert sorted(clauses - cited(ROOT / folder, prefix)) == []
