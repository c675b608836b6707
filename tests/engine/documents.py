"""The rules documents as tests read them: their clauses, and their JSON blocks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine import Match

ROOT = Path(__file__).parents[2]


def text_of(document: str) -> str:
    """A document of docs/rules."""
    return (ROOT / "docs" / "rules" / document).read_text(encoding="utf-8")


def blocks_of(document: str) -> list[dict[str, Any]]:
    """Its JSON blocks, in order: worked examples, and views."""
    return [
        json.loads(block)
        for block in re.findall(r"```json\n(.*?)```", text_of(document), re.DOTALL)
    ]


def clauses_of(document: str, prefix: str) -> set[int]:
    """The numbers of its clauses."""
    return {int(number) for number in re.findall(rf"\*\*{prefix}-(\d+)\b", text_of(document))}


def cited(folder: str, prefix: str) -> set[int]:
    """The clauses that the files of a folder name."""
    files = sorted((ROOT / folder).rglob("*.py"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return {int(number) for number in re.findall(rf"\b{prefix}-(\d+)", text)}


def check_listed(match: Match, example: dict[str, Any], prefix: str) -> None:
    """The legal moves are those of the example, as far as it tells; a refusal names a clause."""
    listed = match.legal_moves()
    assert listed == example.get("legal", listed)
    for move in [*listed, *example.get("also_legal", []), *example.get("legal_includes", [])]:
        assert match.is_legal(move), move
    assert match.truncated or set(listed) >= set(example.get("legal_includes", []))
    for move in example.get("legal_excludes", []):
        assert move not in listed
        assert not match.is_legal(move)
        with pytest.raises(ValueError, match=rf"{prefix}-\d+"):
            match.play(move)
    assert match.truncated == example.get("truncated", False)
    assert len(listed) == example.get("listed", len(listed))
    first = example.get("legal_first", [])
    assert listed[: len(first)] == first
