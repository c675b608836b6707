"""What is said of an end, whatever is known of it."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.runner import runner
from bots.sandbox import Limits, Usage
from bots.sandbox.ending import Facts, describe_end

LIMITS = Limits()
USED = Usage(10.0, 20_000)
FACTS = st.builds(
    Facts,
    status=st.integers(-300, 70_000),
    usage=st.builds(Usage, st.floats(0, 1e7), st.integers(0, 1 << 24)),
    cut=st.sampled_from([None, "output", "memory", "killed"]),
    sandbox_signal=st.integers(0, 70),
    runner_locked=st.booleans(),
    exceeded_limit=st.booleans(),
    killed_below_limit=st.booleans(),
    log=st.binary(max_size=40) | st.sampled_from([b"MemoryError\n", b"x\nMemoryError: no\n"]),
)


@given(FACTS)
def test_any_end_has_a_sentence_and_only_what_is_shown_is_ours(facts: Facts) -> None:
    found = describe_end(facts, LIMITS)
    assert found.text.endswith(".")
    assert (found.code is None) != (found.signal is None)
    shown = (
        facts.sandbox_signal
        or not facts.runner_locked
        or (facts.killed_below_limit and found.signal == signal.SIGKILL)
    )
    if facts.cut or facts.exceeded_limit or not shown:
        assert found.reason != "outside"


@given(st.integers(0, 255), st.binary(max_size=40))
def test_no_number_that_a_bot_chose_has_a_meaning(status: int, log: bytes) -> None:
    found = describe_end(Facts(status=status, usage=USED, killed_below_limit=True, log=log), LIMITS)
    assert (found.reason, found.code) == ("exited", status)


CASES: list[tuple[Facts, str, str]] = [
    (Facts(137, USED), "exited", "exited with status 137"),
    (Facts(-9, USED), "crashed", "Nothing shows that this machine lacked memory"),
    (Facts(-9, USED, killed_below_limit=True), "outside", "machine ran out of memory"),
    (Facts(-9, USED, exceeded_limit=True), "memory", "more than 256 MiB"),
    (Facts(-9, Usage(590_000.0, 0)), "cpu", "600 s of processor time"),
    (Facts(-9, USED, sandbox_signal=9), "outside", "sandbox itself was ended by signal 9"),
    (Facts(-9, USED, sandbox_signal=9, cut="memory"), "memory", "more than 256 MiB"),
    (Facts(-11, USED), "crashed", "signal 11 (Segmentation fault)"),
    (Facts(-6, Usage(1.0, 256 << 10)), "memory", "more than 256 MiB"),
    (Facts(-31, USED), "crashed", "a system call that no bot may make"),
    (Facts(-99, USED), "crashed", "signal 99."),
    (Facts(runner.EXIT_FILES, USED, runner_locked=False), "disk", "cannot be unpacked into 16 MiB"),
    (Facts(runner.EXIT_FILES, USED), "exited", "exited with status 87"),
    (
        Facts(runner.EXIT_UNLOCKED, USED, runner_locked=False, log=b"no filter\n"),
        "outside",
        "no filter.",
    ),
    (Facts(0, USED, runner_locked=False), "exited", "exited with status 0"),
    (Facts(1, USED, log=b"...\nMemoryError\n"), "exited", "its log ends with a MemoryError"),
    (Facts(1, USED, log=b"MemoryError\nno\n"), "exited", "exited with status 1."),
]


@pytest.mark.parametrize(("facts", "reason", "words"), CASES)
def test_what_is_said(facts: Facts, reason: str, words: str) -> None:
    found = describe_end(facts, LIMITS)
    assert found.reason == reason
    assert words in found.text
