"""Lines over pipes: whole, split, joined, too long, late, never."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.sandbox import Limits, LineTooLong, SeatClosed, SeatTimeout
from bots.sandbox.channel import Channel, OutputExceeded

LIMITS = Limits(line_bytes=100, stderr_bytes=1000, output_bytes=5000)


@dataclass
class Ends:
    """A channel and the other ends of its pipes."""

    channel: Channel
    stdin: int
    stdout: int
    stderr: int
    open: set[int]

    def close(self, *fds: int) -> None:
        for fd in fds:
            os.close(fd)
            self.open.remove(fd)


def make_ends() -> Ends:
    (stdin, stdin_write), (output, stdout), (errors, stderr) = os.pipe(), os.pipe(), os.pipe()
    for fd in (stdin_write, output, errors):
        os.set_blocking(fd, False)
    channel = Channel(stdin_write, output, errors, LIMITS)
    return Ends(
        channel, stdin, stdout, stderr, {stdin, stdin_write, output, stdout, errors, stderr}
    )


@pytest.fixture
def ends() -> Iterator[Ends]:
    pipes = make_ends()
    yield pipes
    pipes.close(*list(pipes.open))


def test_one_line(ends: Ends) -> None:
    os.write(ends.stdout, b"hello\n")
    assert ends.channel.read_line(1.0) == b"hello"


def test_a_partial_line_waits_for_the_rest(ends: Ends) -> None:
    os.write(ends.stdout, b"hel")
    with pytest.raises(SeatTimeout):
        ends.channel.read_line(0.01)
    os.write(ends.stdout, b"lo\n")
    assert ends.channel.read_line(1.0) == b"hello"


def test_two_lines_in_one_write_are_read_one_by_one(ends: Ends) -> None:
    os.write(ends.stdout, b"one\ntwo\nthr")
    assert ends.channel.read_line(1.0) == b"one"
    assert ends.channel.read_line(1.0) == b"two"
    os.write(ends.stdout, b"ee\n")
    assert ends.channel.read_line(1.0) == b"three"


@given(st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line)), st.data())
def test_lines_do_not_depend_on_writes(lines: list[bytes], data: st.DataObject) -> None:
    ends = make_ends()
    stream = b"".join(line + b"\n" for line in lines)[:4000]
    expected = stream.split(b"\n")[:-1]
    lines_read = []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        os.write(ends.stdout, stream[:cut])
        stream = stream[cut:]
        while True:
            try:
                lines_read.append(ends.channel.read_line(0.0))
            except SeatTimeout:
                break
    ends.close(*list(ends.open))
    assert lines_read == expected


def test_empty_line_is_a_line(ends: Ends) -> None:
    os.write(ends.stdout, b"\n")
    assert ends.channel.read_line(1.0) == b""


def test_end_of_output(ends: Ends) -> None:
    os.write(ends.stdout, b"last\nhalf")
    ends.close(ends.stdout)
    assert ends.channel.read_line(1.0) == b"last"
    for _ in range(2):
        with pytest.raises(SeatClosed):
            ends.channel.read_line(1.0)


def test_reading_waits_until_the_deadline(ends: Ends) -> None:
    started = time.monotonic()
    with pytest.raises(SeatTimeout):
        ends.channel.read_line(0.05)
    assert time.monotonic() - started >= 0.05


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_long_line(ends: Ends, end: bytes) -> None:
    os.write(ends.stdout, b"x" * 101 + end)
    with pytest.raises(LineTooLong) as caught:
        ends.channel.read_line(1.0)
    assert caught.value.prefix == b"x" * 100
    assert "100 bytes" in str(caught.value)


def test_longest_line(ends: Ends) -> None:
    os.write(ends.stdout, b"x" * 100 + b"\n")
    assert ends.channel.read_line(1.0) == b"x" * 100


def test_total_output_is_limited(ends: Ends) -> None:
    for _ in range(50):
        os.write(ends.stdout, b"x" * 99 + b"\n")
        ends.channel.read_line(1.0)
    os.write(ends.stdout, b"\n")
    with pytest.raises(OutputExceeded):
        ends.channel.read_line(1.0)


def test_the_end_of_the_log_is_kept(ends: Ends) -> None:
    for number in range(500):
        os.write(ends.stderr, b"%09d\n" % number)
        if number % 100 == 99:
            with pytest.raises(SeatTimeout):
                ends.channel.read_line(0.0)
    log = ends.channel.log()
    assert len(log) == 1000
    assert log.endswith(b"000000499\n")
    assert log.startswith(b"000000400\n")


def test_a_closed_log_is_ignored(ends: Ends) -> None:
    ends.close(ends.stderr)
    with pytest.raises(SeatTimeout):
        ends.channel.read_line(0.01)
    os.write(ends.stdout, b"fine\n")
    assert ends.channel.read_line(1.0) == b"fine"


def test_writing_to_a_bot_that_does_not_read_never_blocks(ends: Ends) -> None:
    message = bytes(range(256)) * 4096  # 1 MiB, more than a pipe holds
    ends.channel.write(message)
    ends.channel.write(b"end")
    data = b""
    while len(data) < len(message) + 3:
        data += os.read(ends.stdin, 1 << 20)
        with pytest.raises(SeatTimeout):
            ends.channel.read_line(0.0)
    assert data == message + b"end"
    ends.channel.write(b"again")
    assert os.read(ends.stdin, 100) == b"again"


def test_writing_to_a_bot_that_has_ended(ends: Ends) -> None:
    ends.close(ends.stdin)
    with pytest.raises(SeatClosed):
        ends.channel.write(b"anybody?")


def test_unsent_bytes_for_a_bot_that_left_are_dropped(ends: Ends) -> None:
    ends.channel.write(bytes(1 << 20))
    ends.close(ends.stdin, ends.stdout)
    with pytest.raises(SeatClosed):
        ends.channel.read_line(1.0)


def test_the_log_has_headings_for_decisions(ends: Ends) -> None:
    os.write(ends.stderr, b"loading\n")
    for move in (3, 8, 11):
        ends.channel.mark = move
        if move != 8:
            os.write(ends.stderr, b"thinking\nof two")
        os.write(ends.stdout, b"answer\n")
        assert ends.channel.read_line(1.0) == b"answer"
    ends.channel.mark = 12
    ends.channel.read_log()  # nothing came: no heading
    log = b"thinking\nof two\n-- move 11 --\nthinking\nof two"
    assert ends.channel.log() == b"-- move 3 --\nloading\n" + log


def test_text_before_the_first_question_has_no_heading(ends: Ends) -> None:
    os.write(ends.stderr, b"loading\n")
    ends.channel.read_log()
    ends.channel.mark = 0
    os.write(ends.stderr, b"thinking\n")
    ends.channel.read_log()
    assert ends.channel.log() == b"loading\n-- move 0 --\nthinking\n"


def test_pending_output_is_taken_in_whole_lines(ends: Ends) -> None:
    channel = ends.channel
    assert channel.take_output() == b""
    os.write(ends.stdout, b"one\ntwo\nthr")
    assert channel.read_line(1.0) == b"one"
    os.write(ends.stdout, b"ee")
    assert channel.take_output() == b"two\nthree"
    assert channel.take_output() == b""
    with pytest.raises(SeatTimeout):
        channel.read_line(0.0)
    os.write(ends.stdout, b"next\n")
    assert channel.read_line(1.0) == b"next"


def test_pending_output_counts_towards_the_limit(ends: Ends) -> None:
    for _ in range(5):
        os.write(ends.stdout, b"x" * 900)
        ends.channel.take_output()
    os.write(ends.stdout, b"x" * 900)
    with pytest.raises(OutputExceeded):
        ends.channel.take_output()


def test_the_end_of_output_is_no_answer(ends: Ends) -> None:
    ends.close(ends.stdout)
    assert ends.channel.take_output() == b""
    with pytest.raises(SeatClosed):
        ends.channel.read_line(1.0)
