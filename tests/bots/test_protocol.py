"""Lines of the protocol: compact when written, validated when read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.referee import protocol
from cardroom_base.core import safe_text
from engine.record import MAX_NOTE


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b'{"move":"6C"}', ("6C", None)),
        (b'{"move": "6C"}', ("6C", None)),
        (b'{"move":"6C"}\r', ("6C", None)),
        (b' {"note":"keeps TD","move":"6CxAH,5C"} ', ("6CxAH,5C", "keeps TD")),
        (b'{"move":"6C","note":null,"type":"move","other":[1]}', ("6C", None)),
        (b'{"move":"\\u0036C"}', ("6C", None)),
        ('{"move":"6C","note":"Zwei ♠"}'.encode(), ("6C", "Zwei ♠")),
        (
            b'{"move":"6C","note":"a\\u0000\\ud800b"}',
            ("6C", "a��b".replace("\ufffd\ufffd", "\ufffd?")),
        ),
    ],
)
def test_an_answer_is_read(line: bytes, answer: tuple[str, str | None]) -> None:
    assert protocol.parse_answer(line) == (*answer, None)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"move":"6C","n":17}', 17),
        (b'{"move": "6C", "n": 0} \r', 0),
        (b'{"n":17,"move":"6C","note":"x"}', 17),
        (b'{"move":"6C","n":null}', None),
        (b'{"move":"6C","n":-1}', -1),
        (b'{"move":"6C","n":9999999999}', 9_999_999_999),
    ],
)
def test_an_answer_may_name_its_question(line: bytes, number: int | None) -> None:
    answer = protocol.parse_answer(line)
    assert answer is not None
    assert (answer.move, answer.number) == ("6C", number)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"6C",
        b'"6C"',
        b"null",
        b"[]",
        b"{}",
        b'{"move":null}',
        b'{"move":""}',
        b'{"move":["6C"]}',
        b'{"move":"6C","note":7}',
        b'{"move":"6C","n":"17"}',
        b'{"move":"6C","n":true}',
        b'{"move":"6C","n":1.5}',
        b'{"move":"6C"',
        b'{"move":"6C"} {"move":"7C"}',
        b'{"move":"' + b"6" * 3000 + b'"}',
        b"[" * 60_000,
        b'{"move":' + b"9" * 60_000 + b"}",
        b"\xff\xfe",
        '{"move":"6C"}'.encode("utf-16"),
        '{"move":"6C"}'.encode("utf-32-le"),
        b'\xef\xbb\xbf{"move":"6C"}',
        b'{"move":"7C","move":"6C"}',
        b'{"move":"6C","eval":NaN}',
        b'{"move":"6C","eval":1e999}',
        b'{"move":"6C","note":' + b"[" * 33 + b"]" * 33 + b"}",
        b'{"move":"\xff"}',
    ],
)
def test_other_lines_are_no_answers(line: bytes) -> None:
    assert protocol.parse_answer(line) is None


@given(st.text(min_size=1, max_size=50), st.none() | st.text(max_size=600))
def test_answers_of_any_text_are_read_like_json(move: str, note: str | None) -> None:
    line = json.dumps({"move": move} if note is None else {"move": move, "note": note}).encode()
    answer = protocol.parse_answer(line)
    assert answer is not None
    assert answer[0] == move
    assert (answer[1] is None) == (note is None)
    if answer[1] is not None:
        assert len(answer[1]) <= MAX_NOTE
        answer[1].encode()


@given(st.binary(max_size=300))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    protocol.parse_answer(line)
    protocol.is_ready(line)
    text = protocol.received_text(line)
    assert len(text) <= protocol.MAX_RECEIVED
    assert safe_text.escape(text) == text
    assert "\n" not in text


def test_ready_may_have_extra_fields() -> None:
    assert protocol.is_ready(b'{"type":"ready","name":"x"}')
    assert not protocol.is_ready(b'{"type":"move"}')
    assert not protocol.is_ready(b"ready")


def test_lines_are_compact_ascii_without_newlines() -> None:
    line = protocol.move_line(
        17, {"hand": ["6C"], "x": "♠\n"}, ["6C"], [{"type": "deal"}], truncated=False, bank_ms=5
    )
    assert line.isascii()
    assert b"\n" not in line
    assert line.startswith(b'{"type":"move","n":17,"view":{')
    assert json.loads(line) == {
        "type": "move",
        "n": 17,
        "view": {"hand": ["6C"], "x": "♠\n"},
        "legal": ["6C"],
        "truncated": False,
        "events": [{"type": "deal"}],
        "clock": {"bank_ms": 5},
    }
