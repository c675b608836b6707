"""Every clause of docs/rules/canasta.md is implemented and tested."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[4]
TEXT = (ROOT / "docs" / "rules" / "canasta.md").read_text(encoding="utf-8")
CLAUSES = {int(number) for number in re.findall(r"\*\*CAN-(\d+)\*\*", TEXT)}


def cited(folder: Path) -> set[int]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    return {int(number) for number in re.findall(r"\bCAN-(\d+)", text)}


def test_every_clause_is_cited_in_the_engine() -> None:
    assert set(range(1, 98)) == CLAUSES
    assert sorted(CLAUSES - cited(ROOT / "engine" / "games" / "canasta")) == []


def test_every_clause_is_tested() -> None:
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]
    examples = {int(c[4:]) for block in blocks if "id" in block for c in block["clause"]}
    assert sorted(CLAUSES - examples - cited(Path(__file__).parent)) == []
