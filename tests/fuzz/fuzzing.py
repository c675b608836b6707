"""Feeds parsers with invalid input, and limits the time of their answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import monotonic, process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FULL = os.environ.get("CARDROOM_FULL") == "1"
RUN_SECONDS = 60.0 if FULL else 0.0
"""The time for which a parser is tested at full size; at small size all examples run once."""
EXAMPLES = 500 if FULL else 40
MAX_YARDSTICKS = 30
"""The maximum processor time of an answer, in yardsticks: 0.4 s on an average machine."""

PIECES: Sequence[bytes] = (
    *(b"[", b"]", b"{", b"}", b'"', b"'", b"\\", b",", b":", b"=", b".", b"#", b"\n", b"\r\n"),
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"\x9b2J", b"PK\x05\x06", b"\x80"),
    *("\u202e".encode(), "\u200b".encode(), "\u2028".encode(), b"\\ud800", b"\xed\xa0\x80"),
    *(b"NaN", b"-Infinity", b"1e999", b"9", b"0x", b"-", b"null", b"true", b"a.", b"*?", b"../"),
)
ODD_VALUES: Sequence[Any] = (
    *(None, True, False, 0, 1, -1, 7, 10**9, 2**31, 2**63, -(2**63), 10**30, 1.5, 1e300),
    *("", " ", "0", "x", "-1", "\0", "\x1b[2J", "\u202e", "\u200b", "\ud800", "٣", "9" * 5_000),
    *("x" * 3_000, "a/b/c", "6C", "X", "../..", "1" * 30, "2026-99-99", "true", "null"),
    *([], {}, [[]], [None], [1] * 300, ["6C"] * 200, {"": 0}, {"a": {"a": {"a": []}}}),
    *([["6C", "TD"]] * 9, {"0": ["6C"]}, [0, 1, 2, 3], [-1], ["6C", "6C"], "house:random"),
)


def mangled_bytes(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """One of the seeds, or empty bytes, after random edits."""
    return st.builds(_mangle, st.sampled_from([b"", *seeds]), st.lists(_EDITS, max_size=5))


_EDITS = st.tuples(
    st.sampled_from(["put", "put", "cut", "double", "flip"]),
    st.integers(0, 1 << 20),
    st.integers(1, 64),
    st.sampled_from(PIECES),
    st.sampled_from([1, 1, 2, 40, 3_000, 60_000]),
)


def _mangle(seed: bytes, edits: list[tuple[str, int, int, bytes, int]]) -> bytes:
    text = seed
    for what, place, length, piece, times in edits:
        at = place % (len(text) + 1)
        if what == "put":
            text = text[:at] + piece * times + text[at:]
        elif what == "cut":
            text = text[:at] + text[at + length :]
        elif what == "double":
            text = text[: at + length] + text[at:]
        else:
            text = text[:at] + bytes([length]) + text[at + 1 :]
    return text


@st.composite
def changed_json(draw: st.DrawFn, whole: Any, odd: Sequence[Any] = ODD_VALUES) -> Any:
    """JSON data after one to three random changes of its parts."""
    value = _copy(whole)
    for _ in range(draw(st.integers(1, 3))):
        holders = list(_holders(value))
        if not holders:
            return _copy(draw(st.sampled_from(odd)))
        holder, key = holders[draw(st.integers(0, len(holders) - 1))]
        what = draw(st.sampled_from(["odd", "odd", "odd", "gone", "other", "many"]))
        if what == "gone":
            del holder[key]
        elif what == "other":
            other, place = holders[draw(st.integers(0, len(holders) - 1))]
            holder[key] = _copy(other[place])
        elif what == "many" and isinstance(holder, list):
            holder.extend([_copy(holder[key])] * draw(st.sampled_from([1, 30, 400])))
        else:
            holder[key] = _copy(draw(st.sampled_from(odd) | st.integers() | st.text(max_size=20)))
    return value


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(part) for part in value]
    return value


def _holders(value: Any) -> list[tuple[Any, Any]]:
    """All places in the data: the container, and the key or index."""
    holders: list[tuple[Any, Any]] = []
    containers = [value]
    while containers:
        holder = containers.pop()
        keys: Any = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            holders.append((holder, key))
            if isinstance(holder[key], dict | list):
                containers.append(holder[key])
    return holders


def run_examples(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], None]:
    """Run a function on all examples, once or at full size for a minute."""

    def run(check: Callable[..., None]) -> None:
        run_once = settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(given(*strategies)(check))
        until = monotonic() + RUN_SECONDS
        run_once()
        while monotonic() < until:
            run_once()

    return run


def run_in_time(read: Callable[[], Any], *errors: type[Exception]) -> Any:
    """The result of `read`, or None if it raises one of `errors`; the test fails if it is slow.

    The shortest of three processor times counts, compared with a yardstick that is measured on the
    same machine at the same time.
    """
    times = []
    for _ in range(3):
        start = process_time()
        try:
            result = read()
        except errors:
            result = None
        times.append(process_time() - start)
        limit = MAX_YARDSTICKS * _MIN_YARDSTICK_S
        if times[-1] <= limit or times[-1] <= MAX_YARDSTICKS * _yardstick():
            return result
    pytest.fail(
        f"It took {min(times):.2f} s of processor time, more than {MAX_YARDSTICKS} yardsticks."
    )


_MIN_YARDSTICK_S = 0.005
"""No machine needs less time for a yardstick."""


def _yardstick() -> float:
    """Seconds of processor time for a fixed piece of ordinary Python."""
    start = process_time()
    words: dict[str, int] = {}
    total = 0
    for number in range(60_000):
        words[f"word {number % 500}"] = number
        total += len(words)
    return process_time() - start
