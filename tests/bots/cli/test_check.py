"""`check` on the command line."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bots.check.report import CheckStep
from bots.cli.check import _progress

from .conftest import Run

GOOD = "def choose(view, legal):\n    return legal[0]\n"


def test_a_good_bot_passes(run: Run) -> None:
    Path("bot.py").write_text(GOOD)
    ran = run("check", "bot.py", "--format", "cassino/standard/1v1", sandboxed=True)
    assert ran.status == 0, ran.out
    assert "✓ It plays cassino/standard/1v1" in ran.out
    assert "The bot is ready to play." in ran.out


def test_a_bad_bot_fails_with_a_reason_and_a_command(run: Run) -> None:
    Path("bot.py").write_text("def choose(view, legal):\n    return view['nothing']\n")
    ran = run("check", "bot.py", "--format", "cassino/standard/1v1", sandboxed=True)
    assert ran.status == 1
    assert "Your bot crashed at move 0 of cassino/standard/1v1" in ran.out
    assert "KeyError: 'nothing'" in ran.out
    assert "cardroom play" in ran.out
    report = run("check", "bot.py", "--json", sandboxed=True)
    assert report.status == 1
    assert report.json["ok"] is False
    assert [step["status"] for step in report.json["steps"]][:4] == [
        "ok",
        "ok",
        "failed",
        "skipped",
    ]


def test_a_broken_package_fails_the_check_and_a_missing_one_is_wrong_usage(run: Run) -> None:
    Path("bot.py").write_text("def choose(")
    ran = run("check", "bot.py", sandboxed=True)
    assert ran.status == 1
    assert "syntax error in line 1" in ran.out
    assert run("check", "nothing.py", sandboxed=True).status == 2


def test_a_format_that_the_bot_does_not_claim_is_wrong_usage(run: Run) -> None:
    Path("b").mkdir()
    Path("b/bot.py").write_text(GOOD)
    Path("b/cardroom.toml").write_text('formats = ["cassino/royal/*"]')
    ran = run("check", "b", "--format", "cassino/standard/*", sandboxed=True)
    assert ran.status == 2
    assert "claims cassino/royal/*" in ran.err
    assert run("check", "b", "--format", "bridge/*/*", sandboxed=True).status == 2


def test_the_progress_line_counts_formats() -> None:
    steps = [
        CheckStep("package", "read", "ok"),
        CheckStep("a/b/1v1", "It plays a/b/1v1", "ok"),
        CheckStep("a/b/2v2", "It plays a/b/2v2", "running"),
        CheckStep("a/b/3v3", "It plays a/b/3v3"),
    ]
    console = Console(width=80)
    with console.capture() as capture:
        console.print(_progress(steps))
    assert capture.get().split("\n")[:2] == ["… It plays a/b/2v2", "checked 1 of 3 formats"]
