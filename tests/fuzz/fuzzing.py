"""Feeding readers with what nobody would send in good faith: how long, how odd, how judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import monotonic, process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FULL = os.environ.get("CARDROOM_FULL") == "1"
SECONDS = 60.0 if FULL else 0.0
"""How long a reader is fed at full size; at small size once round."""
EXAMPLES = 500 if FULL else 40
BOUND = 30
"""Processor time that an answer may take, in yardsticks: on a usual machine 0.4 s."""

PIECES: Sequence[bytes] = (
    *(b"[", b"]", b"{", b"}", b'"', b"'", b"\\", b",", b":", b"=", b".", b"#", b"\n", b"\r\n"),
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"\x9b2J", b"PK\x05\x06", b"\x80"),
    *("\u202e".encode(), "\u200b".encode(), "\u2028".encode(), b"\\ud800", b"\xed\xa0\x80"),
    *(b"NaN", b"-Infinity", b"1e999", b"9", b"0x", b"-", b"null", b"true", b"a.", b"*?", b"../"),
)
ODD: Sequence[Any] = (
    *(None, True, False, 0, 1, -1, 7, 10**9, 2**31, 2**63, -(2**63), 10**30, 1.5, 1e300),
    *("", " ", "0", "x", "-1", "\0", "\x1b[2J", "\u202e", "\u200b", "\ud800", "٣", "9" * 5_000),
    *("x" * 3_000, "a/b/c", "6C", "X", "../..", "1" * 30, "2026-99-99", "true", "null"),
    *([], {}, [[]], [None], [1] * 300, ["6C"] * 200, {"": 0}, {"a": {"a": {"a": []}}}),
    *([["6C", "TD"]] * 9, {"0": ["6C"]}, [0, 1, 2, 3], [-1], ["6C", "6C"], "house:random"),
)


def mangled(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """One of the seeds, or nothing, with pieces cut out, doubled, or many odd ones put in."""
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
def changed(draw: st.DrawFn, whole: Any, odd: Sequence[Any] = ODD) -> Any:
    """JSON-able data with one to three parts replaced, left out, or put where another was."""
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
    """Every place in the data: what holds it, and the key or index there."""
    holders: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys: Any = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            holders.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return holders


def fed(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], None]:
    """Run a function on examples: once round, at full size for a minute."""

    def run(check: Callable[..., None]) -> None:
        once = settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(given(*strategies)(check))
        until = monotonic() + SECONDS
        once()
        while monotonic() < until:
            once()

    return run


def quickly(read: Callable[[], Any], *errors: type[Exception]) -> Any:
    """What `read` gives, or None where it raises one of `errors`: soon enough, or the test fails.

    Processor time is counted, and who is slow is asked twice more: the least counts, beside a
    yardstick that the same machine has just been measured by.
    """
    spent = []
    for _ in range(3):
        began = process_time()
        try:
            given_ = read()
        except errors:
            given_ = None
        spent.append(process_time() - began)
        if spent[-1] <= BOUND * _LEAST_S or spent[-1] <= BOUND * _yardstick():
            return given_
    pytest.fail(f"It took {min(spent):.2f} s of processor time, {BOUND} yardsticks are allowed.")


_LEAST_S = 0.005
"""No machine needs less for a yardstick: what is quicker than that need not be compared."""


def _yardstick() -> float:
    """Seconds of processor time for a piece of ordinary Python that is always the same."""
    began = process_time()
    words: dict[str, int] = {}
    total = 0
    for number in range(60_000):
        words[f"word {number % 500}"] = number
        total += len(words)
    return process_time() - began
