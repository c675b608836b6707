"""Descriptions of ends from any known facts."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.runner import runner
from bots.sandbox import Limits, Usage
from bots.sandbox.ending import Facts, describe_end

LIMITS = Limits()
USAGE = Usage(10.0, 20_000)
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
def test_every_end_has_a_sentence_and_ours_needs_evidence(facts: Facts) -> None:
    description = describe_end(facts, LIMITS)
    assert description.text.endswith(".")
    assert (description.code is None) != (description.signal is None)
    is_ours = (
        facts.sandbox_signal
        or not facts.runner_locked
        or (facts.killed_below_limit and description.signal == signal.SIGKILL)
    )
    if facts.cut or facts.exceeded_limit or not is_ours:
        assert description.reason != "outside"


@given(st.integers(0, 255), st.binary(max_size=40))
def test_a_status_chosen_by_the_bot_has_no_meaning(status: int, log: bytes) -> None:
    description = describe_end(
        Facts(status=status, usage=USAGE, killed_below_limit=True, log=log), LIMITS
    )
    assert (description.reason, description.code) == ("exited", status)


CASES: list[tuple[Facts, str, str]] = [
    (Facts(137, USAGE), "exited", "exited with status 137"),
    (Facts(-9, USAGE), "crashed", "Nothing shows that this machine ran out of memory"),
    (Facts(-9, USAGE, killed_below_limit=True), "outside", "machine ran out of memory"),
    (Facts(-9, USAGE, exceeded_limit=True), "memory", "more than 256 MiB"),
    (Facts(-9, Usage(590_000.0, 0)), "cpu", "600 s of processor time"),
    (Facts(-9, USAGE, sandbox_signal=9), "outside", "sandbox itself was ended by signal 9"),
    (Facts(-9, USAGE, sandbox_signal=9, cut="memory"), "memory", "more than 256 MiB"),
    (Facts(-11, USAGE), "crashed", "signal 11 (Segmentation fault)"),
    (Facts(-6, Usage(1.0, 256 << 10)), "memory", "more than 256 MiB"),
    (Facts(-31, USAGE), "crashed", "a system call that no bot may make"),
    (Facts(-99, USAGE), "crashed", "signal 99."),
    (
        Facts(runner.EXIT_FILES, USAGE, runner_locked=False),
        "disk",
        "cannot be unpacked into 16 MiB",
    ),
    (Facts(runner.EXIT_FILES, USAGE), "exited", "exited with status 87"),
    (
        Facts(runner.EXIT_UNLOCKED, USAGE, runner_locked=False, log=b"no filter\n"),
        "outside",
        "no filter.",
    ),
    (Facts(0, USAGE, runner_locked=False), "exited", "exited with status 0"),
    (Facts(1, USAGE, log=b"...\nMemoryError\n"), "exited", "its log ends with a MemoryError"),
    (Facts(1, USAGE, log=b"MemoryError\nno\n"), "exited", "exited with status 1."),
]


@pytest.mark.parametrize(("facts", "reason", "text"), CASES)
def test_descriptions(facts: Facts, reason: str, text: str) -> None:
    description = describe_end(facts, LIMITS)
    assert description.reason == reason
    assert text in description.text
