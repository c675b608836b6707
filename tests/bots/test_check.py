"""The check with scripted seats and, at the end, with real ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from bots.check.check import BOT_MOVE_MS, DEALS, check_bot
from bots.check.report import CheckStep, sample
from bots.limits import PackageError
from bots.package.manifest import ManifestError, matching_formats
from bots.package.package import Package
from bots.referee.clock import ClockSettings
from bots.referee.fault_report import last_log_line
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import RefereeError
from bots.sandbox import Limits, Program, Sandbox, SeatClosed, detect
from cardroom_base.core import compiled
from engine import Format, all_formats

from .scripted import READY, Later, Reply, ScriptedSeat, first_legal, until

GOOD = b"def choose(view, legal):\n    return legal[0]\n"
CROWD = b"""
import threading
for _ in range(20):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
ONE_FORMAT = ["cassino/royal/2v2"]


class CheckSandbox:
    """A sandbox with scripted seats; it recognizes the bot under check by its source."""

    def __init__(self, reply: Callable[[], Reply]) -> None:
        self.reply = reply
        self.house: Callable[[], Reply] = lambda: first_legal
        self.own: list[ScriptedSeat] = []

    def open(self, program: Program, *, name: str) -> ScriptedSeat:
        if program.files["bot.py"] != GOOD:
            return ScriptedSeat(self.house())
        self.own.append(ScriptedSeat(self.reply()))
        self.own[-1].log = b"Traceback:\n  \x1b[2J\xe2\x80\xae\nValueError: oh\x07\n\n"
        return self.own[-1]


def test_a_good_bot_passes_every_step_and_each_is_reported() -> None:
    reports: list[list[tuple[str, str]]] = []

    def told(steps: list[CheckStep]) -> None:
        reports.append([(step.name, step.status) for step in steps])

    report = check_bot(
        GOOD,
        sandbox=CheckSandbox(lambda: first_legal),
        filename="bot.py",
        patterns=["cassino/*/*"],
        on_step=told,
    )
    assert report.ok
    formats = [str(fmt) for fmt in all_formats() if fmt.game == "cassino"]
    names = ["package", "start", *formats, "limits"]
    assert [step.name for step in report.steps] == names
    assert all(step.status == "ok" and step.text for step in report.steps)
    assert reports[0] == [("package", "running")]
    assert [status for _, status in reports[-1]] == ["ok"] * len(names)
    assert any(("start", "running") in moment for moment in reports)
    assert f"The rules ran {compiled.kind()}." in report.steps[-1].detail
    assert "ready to play" in report.summary
    assert "== cassino/royal/2v2?deals=2, seat 0, seed check-" in report.log
    assert json.loads(json.dumps(report.as_json()))["ok"] is True


def test_the_bot_plays_on_each_side_and_against_itself() -> None:
    sandbox = CheckSandbox(lambda: first_legal)
    report = check_bot(GOOD, sandbox=sandbox, filename="bot.py", patterns=ONE_FORMAT)
    assert report.ok
    starts = [seat.heard[0] for seat in sandbox.own]
    assert {start["clock"]["move_ms"] for start in starts} == {BOT_MOVE_MS}
    assert [start["seat"] for start in starts] == [0, 0, 2, 1, 3, 0, 1, 2, 3]
    assert {start["format"] for start in starts[1:]} == {f"cassino/royal/2v2?deals={DEALS}"}


PROBLEMS: list[tuple[Callable[[], Reply], str, tuple[str, ...]]] = [
    (
        lambda: until(0, b'{"move":"XX"}'),
        "cassino/royal/2v2",
        ("illegal move at move 0", "'XX'", "The legal moves were "),
    ),
    (
        lambda: until(2, b"hello"),
        "cassino/royal/2v2",
        ("not an answer at move 8", "'hello'", "In Python, choose must return"),
    ),
    (
        lambda: until(1, SeatClosed("gone")),
        "cassino/royal/2v2",
        ("crashed at move 4", "It exited with status 1.", "ValueError: oh"),
    ),
    (lambda: lambda message: b"hi", "start", ("did not get ready", "'hi'", '{"type":"ready"}')),
]


@pytest.mark.parametrize(("reply", "step_name", "texts"), PROBLEMS)
def test_the_first_problem_is_explained(
    reply: Callable[[], Reply], step_name: str, texts: tuple[str, ...]
) -> None:
    report = check_bot(GOOD, sandbox=CheckSandbox(reply), filename="bot.py", patterns=ONE_FORMAT)
    assert not report.ok
    (failed,) = [step for step in report.steps if step.status == "failed"]
    assert failed.name == step_name
    assert failed.text == report.summary
    for text in texts:
        assert text in report.summary
    assert "To reproduce it at home:\n  cardroom " in failed.detail
    assert "\n  \\x1b[2J\\u202e\nValueError: oh\\x07\n" in report.log
    assert "\x07" not in report.summary
    if step_name != "start":
        assert '  hand: ["' in failed.detail
        assert "play 'cassino/royal/2v2?deals=2' BOT house:random BOT house:random" in failed.detail
    later = report.steps[report.steps.index(failed) + 1 :]
    assert all(step.status == "skipped" for step in later)
    assert report.formats == ()


def _playing_only(*games: str) -> Callable[[], Reply]:
    """Replies of a bot that plays legal moves only in these games."""

    def reply() -> Reply:
        games_named: list[str] = []

        def answer(message: dict[str, Any]) -> bytes | Exception:
            if message["type"] == "start":
                games_named.append(message["format"].partition("/")[0])
            if message["type"] == "move" and games_named[0] not in games:
                return b'{"move":"XX"}'
            return first_legal(message)

        return answer

    return reply


def _claiming(*formats: str) -> Package:
    package = Package.load(GOOD, "bot.py")
    return Package(package.files, type(package.manifest)(formats=formats), "x")


def test_a_bot_without_formats_is_accepted_for_games_it_plays() -> None:
    report = check_bot(
        _claiming("*/*/*"),
        sandbox=CheckSandbox(_playing_only("canasta", "paks")),
        max_formats=1,
    )
    assert report.ok
    assert report.formats == ("canasta/*/*", "paks/*/*")
    assert report.summary.startswith(
        "The bot is ready to play Canasta and Paks. Its manifest names no formats, and "
        "it had a problem in Cassino, Spoon Eye and Zwicker, so it does not play those: Your "
        "bot made an illegal move at move 0 of cassino/"
    )
    of_game = {
        game: {step.status for step in report.steps if step.name.startswith(f"{game}/")}
        for game in ("cassino", "canasta")
    }
    assert of_game == {"cassino": {"failed", "skipped"}, "canasta": {"ok"}}
    assert report.as_json()["plays"] == ["canasta/*/*", "paks/*/*"]


def test_a_bot_that_plays_no_game_fails_with_the_first_problem() -> None:
    report = check_bot(_claiming("*/*/*"), sandbox=CheckSandbox(_playing_only()), max_formats=1)
    assert not report.ok
    assert "illegal move at move 0 of cassino/" in report.summary


def test_a_bot_must_play_all_games_it_names() -> None:
    package = _claiming("paks/*/*", "canasta/*/*")
    report = check_bot(package, sandbox=CheckSandbox(_playing_only("canasta")), max_formats=1)
    assert not report.ok
    assert report.summary.endswith(
        "If the bot is not for Paks, remove that game from formats in cardroom.toml."
    )


def test_a_package_that_cannot_be_read_fails_the_first_step() -> None:
    report = check_bot(b"def choose(", sandbox=CheckSandbox(lambda: first_legal), filename="bot.py")
    assert [(step.name, step.status) for step in report.steps] == [("package", "failed")]
    assert "syntax error in line 1" in report.summary
    assert report.package is None
    assert not report.ok


def test_a_house_bot_that_fails_is_our_fault() -> None:
    sandbox = CheckSandbox(lambda: first_legal)
    sandbox.house = lambda: until(0, b"?")
    with pytest.raises(RefereeError, match="house:random failed"):
        check_bot(GOOD, sandbox=sandbox, filename="bot.py", patterns=ONE_FORMAT)


def test_patterns_must_match_claimed_formats() -> None:
    sandbox = CheckSandbox(lambda: first_legal)
    with pytest.raises(ManifestError, match="covers no format"):
        check_bot(GOOD, sandbox=sandbox, filename="bot.py", patterns=["bridge/*/*"])
    package = Package.load(GOOD, "bot.py")
    claims = type(package.manifest)(formats=("cassino/standard/*",))
    with pytest.raises(PackageError, match="claims cassino/standard"):
        check_bot(
            Package(package.files, claims, "x"), sandbox=sandbox, patterns=["cassino/royal/*"]
        )


def slow_reply(milliseconds: float) -> Reply:
    """A reply of first legal moves with a delay."""

    def reply(message: dict[str, Any]) -> bytes | Exception:
        if message["type"] == "start":
            return READY
        return Later(first_legal(message), monotonic() + milliseconds / 1000)

    return reply


def test_a_slow_bot_is_tested_in_every_format() -> None:
    sandbox, began = CheckSandbox(lambda: slow_reply(10)), monotonic()
    report = check_bot(
        GOOD, sandbox=sandbox, filename="bot.py", patterns=["cassino/*/*"], play_seconds=10
    )
    assert report.ok
    assert monotonic() - began < 50  # full matches would sleep for a minute
    formats = [step for step in report.steps if "/" in step.name]
    assert len(formats) == 12
    for step in formats:
        assert "matches to the end, " in step.text
        assert " 0 moves by the bot" not in step.text
    assert " matches before their end." in report.steps[-1].detail
    starts = [seat.heard[0] for seat in sandbox.own[1:]]
    assert {(start["format"], tuple(start["sides"][0])) for start in starts} >= {
        (f"cassino/standard/{table}?deals=2", side)
        for table, side in [("1v1", (0,)), ("ffa3", (0,)), ("2v2", (0, 2))]
    }


def test_formats_beyond_the_time_limit_are_reported_as_untested() -> None:
    report = check_bot(
        GOOD,
        sandbox=CheckSandbox(lambda: slow_reply(5)),
        filename="bot.py",
        patterns=["cassino/royal/*"],
        play_seconds=0,
    )
    assert report.ok
    texts = [step.text for step in report.steps if "/" in step.name]
    assert texts[0].startswith("0 of 3 matches to the end, ")
    assert texts[1:] == ["Not played: the check ran out of time."] * 2
    assert "ran out of time before it played 2 formats" in report.summary


def test_a_fault_in_a_stopped_match_fails_the_check() -> None:
    sandbox = CheckSandbox(lambda: until(0, b'{"move":"XX"}'))
    report = check_bot(
        GOOD, sandbox=sandbox, filename="bot.py", patterns=ONE_FORMAT, play_seconds=0
    )
    assert "illegal move at move 0" in report.summary


@pytest.mark.parametrize(("milliseconds", "remarked"), [(BOT_MOVE_MS + 900, True), (0, False)])
def test_only_moves_over_the_time_limit_are_remarked(milliseconds: int, remarked: bool) -> None:
    sandbox = CheckSandbox(lambda: slow_reply(milliseconds))
    report = check_bot(
        GOOD, sandbox=sandbox, filename="bot.py", patterns=ONE_FORMAT, play_seconds=0
    )
    assert report.ok
    assert (f"allowed {BOT_MOVE_MS} ms a move" in report.steps[-1].detail) == remarked


def test_a_sample_has_every_variant_and_every_table_form() -> None:
    formats = all_formats()
    for limit in (1, 5, 8, len(formats)):
        selection = sample(formats, limit)
        assert selection == [fmt for fmt in formats if fmt in selection]
        assert {(f.game, f.variant) for f in selection} == {(f.game, f.variant) for f in formats}
        assert {(f.game, f.table) for f in selection} == {(f.game, f.table) for f in formats}
    assert sample(formats, len(formats)) == formats
    assert len(sample(formats, 8)) == 8 or len(formats) != 12


def test_the_last_words_of_a_log_are_its_last_line_with_text() -> None:
    assert last_log_line(b"") == ""
    assert last_log_line(b"a\nValueError: x \n\n \n") == "ValueError: x"
    assert last_log_line(b"\xff" * 9000)


@pytest.mark.sandbox
@pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here")
@pytest.mark.parametrize(
    ("source", "text"),
    [
        (GOOD, "ready to play"),
        (b"import numpy\n", "A bot can import the standard library"),
        (b"import os\nos.fork()\n", "The sandbox allows no other processes"),
        (b"import socket\nsocket.socket()\n", "The sandbox allows no other"),
        (b"open('notes', 'w')\n", "Bots cannot create or change files in the sandbox"),
        (CROWD, "The sandbox allows 16 threads."),
        (b"import sys\nsys.exit('no weights')\n", "Its log ends: no weights"),
        (b"def choose(view, legal):\n    return 7\n", "choose"),
        (b"def choose(view, legal):\n    return view['x']\n", "KeyError: 'x'"),
        (b"def choose(view, legal):\n    while True: pass\n", "too slow"),
        (b"x = [0] * 10**9\n", "MemoryError"),
    ],
)
def test_failures_of_real_bots_are_explained(source: bytes, text: str) -> None:
    with Sandbox(Limits(memory_mib=96)) as sandbox:
        report = _check_source(source, sandbox, clock=ClockSettings(300, 0))
    assert text in report.summary
    assert report.ok == (source == GOOD)


def _check_source(source: bytes, sandbox: SandboxLike, **options: Any) -> Any:
    return check_bot(
        source,
        sandbox=sandbox,
        filename="bot.py",
        patterns=[str(Format.parse(ONE_FORMAT[0]))],
        **options,
    )


def test_commands_use_the_given_name_of_the_bot() -> None:
    for reply in (PROBLEMS[0][0], lambda: lambda message: b"hi"):
        sandbox = CheckSandbox(reply)
        report = check_bot(
            GOOD,
            sandbox=sandbox,
            filename="bot.py",
            patterns=ONE_FORMAT,
            bot_argument="my bots/a.py",
        )
        (failed,) = [step for step in report.steps if step.status == "failed"]
        assert " 'my bots/a.py'" in failed.detail
        assert "BOT" not in failed.detail


@pytest.mark.parametrize(
    ("patterns", "text"),
    [
        (ONE_FORMAT, "1 format to play."),
        (["cassino/*/*"], "{} formats to play; this check plays {} of them."),
    ],
)
def test_only_requested_formats_are_counted(patterns: list[str], text: str) -> None:
    """Other formats that the package claims are not counted."""
    sandbox = CheckSandbox(lambda: first_legal)
    report = check_bot(GOOD, sandbox=sandbox, filename="bot.py", patterns=patterns, max_formats=1)
    matching = matching_formats(patterns)
    text = text.format(len(matching), len(sample(matching, 1)))
    assert report.steps[0].text.endswith(text)
    assert ": 1 file, " in report.steps[0].text


RUN = b'command = ["./run"]'
SCRIPT = b"#!/usr/bin/env python3\n"


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"run": b"#!/bin/sh\r\n:\r\n", "cardroom.toml": RUN}, "Unix line endings"),
        ({"run": b"#!/bin/bash\n:\n", "cardroom.toml": RUN}, "the interpreter '/bin/bash'"),
        ({"run": b"#!/usr/bin/env perl\n", "cardroom.toml": RUN}, "asks for 'perl'"),
        ({"run": b"\xef\xbb\xbf" + SCRIPT, "cardroom.toml": RUN}, "byte order mark"),
        ({"run": b"MZ\x90\0", "cardroom.toml": RUN}, "a program for Windows"),
        ({"run": b"import sys\n", "cardroom.toml": RUN}, "names no interpreter"),
        ({"run": SCRIPT, "cardroom.toml": b'command = ["run"]'}, 'write "./run"'),
        ({"run": SCRIPT, "cardroom.toml": b'command = ["python3 run"]'}, "exited with status 127"),
        ({"run": SCRIPT, "cardroom.toml": b'command = ["java"]'}, "no 'java'"),
        ({"bot.py": GOOD, "cardroom.toml": b'command = ["python3", "bot.py"]'}, "no command"),
        ({"bot.py": b"import sys\ndef choose(*_):\n    sys.exit()\n"}, "choose called sys.exit()"),
        ({"bot.py": b"import sys\nsys.exit(3)\n"}, "bot.py called sys.exit()"),
        ({"bot.py": b"import random\nrandom.choice\n", "random.py": b""}, "'random' replaces"),
        ({"bot.py": b"import numpy\n"}, 'cardroom.toml names: needs = ["numpy"]'),
    ],
)
def test_causes_of_failed_starts_are_named(files: dict[str, bytes], text: str) -> None:
    with Sandbox() as sandbox:
        report = check_bot(Package.from_files(files, "bot"), sandbox=sandbox, patterns=ONE_FORMAT)
    assert not report.ok
    assert text in report.summary


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"bot.py": GOOD, "cardroom.toml": b'needs = ["numpy"]'}
    sandbox = CheckSandbox(lambda: first_legal)
    assert check_bot(Package.from_files(files, "bot"), sandbox=sandbox, patterns=ONE_FORMAT).ok
    monkeypatch.setenv("CARDROOM_LIBRARIES", "")
    report = check_bot(Package.from_files(files, "bot"), sandbox=sandbox, patterns=ONE_FORMAT)
    assert report.summary == "The bot needs numpy, which this machine does not offer to bots."
    assert [step.status for step in report.steps[:3]] == ["ok", "failed", "skipped"]


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["random", "_json", "json", "resource", "types"])
def test_modules_of_the_bot_do_not_replace_pythons(name: str) -> None:
    """The runner keeps Python's modules, even if the bot has modules of these names."""
    source = b"def choose(view, legal):\n    return legal[0]\n"
    importer = f"from {name} import choose\n".encode()
    files = {"bot.py": importer, f"{name}.py": source}
    with Sandbox() as sandbox:
        report = check_bot(Package.from_files(files, "bot"), sandbox=sandbox, patterns=ONE_FORMAT)
    # Modules that the interpreter itself has loaded stay; then the check says so.
    assert report.ok or "replaces" in report.summary, report.summary


def test_headings_of_the_log_are_not_last_words() -> None:
    assert last_log_line(b"-- move 0 --\nthinking\n-- move 12 --\n\n") == "thinking"
    assert last_log_line(b"-- move 0 --\n\n") == ""
