"""Reading the rules documents: clauses and JSON blocks."""

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
    """The JSON blocks of a document, in order: worked examples and views."""
    return [
        json.loads(block)
        for block in re.findall(r"```json\n(.*?)```", text_of(document), re.DOTALL)
    ]


def clauses_of(document: str, prefix: str) -> set[int]:
    """The numbers of a document's clauses."""
    return {int(number) for number in re.findall(rf"\*\*{prefix}-(\d+)\b", text_of(document))}


def cited(folder: str, prefix: str) -> set[int]:
    """The clauses that are cited in the files of a folder."""
    files = sorted((ROOT / folder).rglob("*.py"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return {int(number) for number in re.findall(rf"\b{prefix}-(\d+)", text)}


def check_legal_moves(match: Match, example: dict[str, Any], prefix: str) -> None:
    """Check the legal moves against the example, and that refusals name a clause."""
    legal = match.legal_moves()
    assert legal == example.get("legal", legal)
    for move in [*legal, *example.get("also_legal", []), *example.get("legal_includes", [])]:
        assert match.is_legal(move), move
    assert match.truncated or set(legal) >= set(example.get("legal_includes", []))
    for move in example.get("legal_excludes", []):
        assert move not in legal
        assert not match.is_legal(move)
        with pytest.raises(ValueError, match=rf"{prefix}-\d+"):
            match.play(move)
    assert match.truncated == example.get("truncated", False)
    assert len(legal) == example.get("listed", len(legal))
    expected_first = example.get("legal_first", [])
    assert legal[: len(expected_first)] == expected_first
