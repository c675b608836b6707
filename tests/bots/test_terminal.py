"""Foreign text on a terminal."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom_base.core.safe_text import (
    MAX_TEXT,
    EscapingStream,
    OutputError,
    escape,
    escape_json,
    is_harmless,
    one_line,
)

ANYTHING = st.text(st.characters() | st.characters(categories=["Cs", "Cf", "Cc", "Mn"]))


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("K♠ Zwei さくら\u3000é", "K♠ Zwei さくら\u3000é"),
        ("two\nlines\r\nand\tmore", "two\nlines\nand more"),
        ("\x1b[2J\x9b31m\x07\x08", r"\x1b[2J\x9b31m\x07\x08"),
        ("a\u202eb\u2066c\u2069\u200f", r"a\u202eb\u2066c\u2069\u200f"),
        ("\u200b\u200d\ufeff\u00ad\u2060", r"\u200b\u200d\ufeff\xad\u2060"),
        ("\u2028\u2029\x85\x0b\x0c\r", r"\u2028\u2029\x85\x0b\x0c\x0d"),
        ("\u3164\u2800\ufe0f\U000e0041\U000e0101", r"\u3164\u2800\ufe0f\ue0041\ue0101"),
        ("\ud800\ue000\uffff", r"\ud800\ue000\uffff"),
        ("e" + "\u0301" * 40, "e" + "\u0301" * 3 + "…"),
        ("ก" + "\u0e49" * 40 + "♠" * 5, "ก" + "\u0e49" * 3 + "…" + "♠" * 5),
    ],
)
def test_harmful_characters_are_replaced(text: str, output: str) -> None:
    assert escape(text) == output


def test_a_text_is_cut_and_a_line_stays_one() -> None:
    assert escape("x" * (MAX_TEXT + 1)) == "x" * MAX_TEXT + " …"
    assert one_line("a\nResult 1 : 0") == "a\\nResult 1 : 0"
    assert one_line("x" * 100, 48) == "x" * 47 + "…"
    assert len(one_line("\x1b" * 100, 48)) == 48


@given(ANYTHING)
def test_every_character_that_is_shown_is_harmless(text: str) -> None:
    assert all(char == "\n" or is_harmless(char) for char in escape(text))
    assert all(map(is_harmless, one_line(text)))
    assert escape(escape(text)) == escape(text)


@given(st.dictionaries(ANYTHING, ANYTHING | st.integers()))
def test_escaped_json_has_the_same_value(value: object) -> None:
    escaped = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(escaped) == value
    assert all(char == "\n" or is_harmless(char) for char in escaped)


def test_a_guarded_stream_cannot_be_bypassed() -> None:
    behind = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    stream = EscapingStream(behind)
    assert stream.write("\x1b[2J\n") == 5
    assert not hasattr(stream, "buffer")
    stream.flush()
    behind.seek(0)
    assert behind.read() == "\\x1b[2J\n"


def test_a_guarded_stream_cuts_no_json() -> None:
    behind = io.StringIO()
    EscapingStream(behind).write(json.dumps(["x" * MAX_TEXT, "é"], indent=2))
    assert json.loads(behind.getvalue())[0] == "x" * MAX_TEXT


def test_a_guarded_stream_names_the_error_of_a_full_disk() -> None:
    with Path("/dev/full").open("w") as full:
        stream = EscapingStream(full)
        stream.write("x")
        with pytest.raises(OutputError, match=r"^The output cannot be written: No space left"):
            stream.flush()
        with Path(os.devnull).open("w") as empty:
            os.dup2(empty.fileno(), full.fileno())  # closing it must not fail
