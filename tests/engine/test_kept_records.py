"""Records of an earlier engine verify, and are written and shown unchanged."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from engine import Record

FOLDER = Path(__file__).with_name("records")
HASHES = {
    "canasta-us-official-1v2": "620577772ad0847ef67e5203069d8cad",
    "cassino-royal-spade-2v2": "bc848f704f2505398f72a5c7e7936eda",
    "cassino-standard-1v1-forfeit": "975e86fdf7073d5eec7bd1b4c223e237",
    "paks-standard-ffa3": "dfe50cb1dc4abc1dfe9efdfe5d3208e9",
    "spoon-eye-standard-2v2": "d63b453496ea2f73b8fc098778b20d48",
    "zwicker-christiansen-ffa3": "b6b4091ebfbdc1a01d08b3a80e325e20",
}
"""For each record a hash of its frames' views and events from the earlier engine."""


@pytest.mark.parametrize("name", HASHES)
def test_a_stored_record_verifies_and_its_frames_are_unchanged(name: str) -> None:
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    record = Record.from_json(text)
    record.verify()
    assert record.dumps() == text
    outputs = [[frame["view"], frame["events"]] for frame in record.frames()]
    assert sha256(json.dumps(outputs, sort_keys=True).encode()).hexdigest()[:32] == HASHES[name]


def test_every_stored_record_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(HASHES)
