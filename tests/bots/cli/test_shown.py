"""Every command prints harmful names, notes, logs, files and responses as harmless text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

import tournaments.home.cli  # noqa: F401 - adds the command `tournament`
from bots.cli import app, http_client
from bots.cli.common import err, out
from cardroom_base.core.safe_text import is_harmless
from engine import Match, Record
from tests.tournaments.archive.build import ArchiveParts, head

from .conftest import TRUST

POISON = "\x1b[31m\x9b2J\u202e\u2066\u200b\u2028\x85\x07\ufeff\u3164[red]:skull:[/]\rA\n9 lines"
FILE = POISON.replace("/", "")
BOT = f"""
import sys
print({POISON!a}, file=sys.stderr)
def choose(view, legal):
    return {POISON!a}
"""


@pytest.fixture(autouse=True)
def _in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARDROOM_TOKEN", "secret")


def harmless_output(*arguments: str) -> str:
    """The output of a command; asserts that all of it is harmless."""
    ran = CliRunner().invoke(app, list(arguments))
    if ran.exception and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    text = ran.stdout + ran.stderr
    assert text.strip()
    harmful = {char for char in text if char != "\n" and not is_harmless(char)}
    assert not harmful, (harmful, text)
    return text


def poisoned_record() -> Record:
    """The record of an unfinished match with harmful text in all its fields."""
    match = Match("cassino/standard/1v1", seed="poison")
    for _ in range(3):
        match.play(match.legal_moves()[0])
    record = Record.of(match, [{"name": POISON}, {"name": POISON, POISON: POISON}])
    record.notes = {"0": POISON, POISON: POISON}
    record.faults = [{"seat": 0, "kind": POISON, "move": POISON, "detail": POISON}]
    record.result = record._expected_result(match)
    return record


def test_records(monkeypatch: pytest.MonkeyPatch) -> None:
    record = poisoned_record()
    Path(FILE).write_text(record.dumps())
    text = harmless_output("replay", FILE, "--transcript")
    assert r"\x1b[31m\x9b2J\u202e" in text
    assert "[red]:skull:" in text
    assert "\n9 lines" not in text
    harmless_output("analyse", FILE, "--playouts", "2")
    harmless_output("verify", FILE)
    frames = json.loads(harmless_output("replay", FILE, "--json"))
    assert frames[1]["note"] == POISON
    for field, value in (("moves", [POISON]), ("seed", POISON), ("format", POISON), ("result", {})):
        changed = {**record.to_json(), field: value}
        Path("wrong.json").write_text(json.dumps(changed))
        harmless_output("verify", "wrong.json")
        harmless_output("replay", "wrong.json")


def test_archives() -> None:
    archive = ArchiveParts(head(slug=POISON))
    Path(FILE).write_bytes(archive.packed().getvalue())
    assert "agrees" in harmless_output("verify", FILE)
    archive.lines[0]["matches"][0]["state"] = POISON
    Path("state.zip").write_bytes(archive.packed().getvalue())
    harmless_output("verify", "state.zip")
    archive.of = head(entries=())
    archive.files["tournament.json"][POISON] = archive.files.pop("standings.json")
    Path("none.zip").write_bytes(archive.packed().getvalue())
    harmless_output("verify", "none.zip")


def test_arguments() -> None:
    for arguments in (
        ("formats", POISON),
        ("rules", POISON),
        ("rules", "cassino", "--language", POISON),
        ("new", POISON),
        ("new", "x", "--game", POISON),
        ("play", POISON, "house:random"),
        ("play", "cassino/standard/1v1", POISON, f"house:{POISON}"),
        ("check", POISON),
        ("check", f"house:{POISON}"),
        ("replay", POISON),
        ("verify", POISON, f"http://{FILE}/"),
        ("submit", POISON, "--server", POISON),
        ("tournament", "cassino/standard/1v1", POISON, "--system", POISON),
        ("tournament", "cassino/standard/1v1", POISON, "--set", POISON),
        ("tournament", "cassino/standard/1v1", POISON, "--tie-breaks", POISON),
    ):
        harmless_output(*arguments)


def test_packages() -> None:
    Path(f"{FILE}.py").write_text(f"def choose(:  # {POISON}")
    harmless_output("check", f"{FILE}.py")
    folder = Path(f"folder {FILE}")
    folder.mkdir()
    (folder / "cardroom.toml").write_text(f"{json.dumps(POISON)} = 1")
    harmless_output("check", str(folder))
    (folder / FILE).write_text("x")
    harmless_output("check", str(folder))
    with zipfile.ZipFile("bot.zip", "w") as file:
        file.writestr(FILE, POISON)
    harmless_output("check", "bot.zip")


def test_logs_and_moves_of_bots() -> None:
    Path("bot.py").write_text(BOT)
    bots = ("bot.py", "house:random")
    assert r"\x1b[31m" in harmless_output("play", "cassino/standard/1v1?deals=1", *bots, *TRUST)
    harmless_output("check", "bot.py", "--format", "cassino/standard/1v1", *TRUST)
    harmless_output("tournament", "cassino/standard/1v1?deals=1", *bots, "--groups", "1", *TRUST)


def test_responses_of_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    step = dict.fromkeys(("name", "title", "text", "detail"), POISON) | {"status": "failed"}
    version = {"bot": POISON, "number": 1, "status": POISON}
    check: dict[str, Any] = {"status": POISON, "summary": POISON, "log": POISON, "steps": [step]}
    answers: list[Any] = []
    answering = httpx.MockTransport(
        lambda _: httpx.Response(200, stream=httpx.ByteStream(json.dumps(answers.pop(0)).encode()))
    )
    monkeypatch.setattr(http_client, "client", lambda: httpx.Client(transport=answering))
    Path("bot.py").write_text(BOT)
    submit = ("submit", "bot.py", "--server", "https://cards.example.org", "--wait", "0")
    for status in ("ready", "rejected", POISON):
        for more in ((), ("--json",)):
            answers[:] = [{"results": []}, version, {**check, "status": status}]
            harmless_output(*submit, *more)
    answers[:] = [{POISON: POISON}]
    harmless_output(*submit)


def test_brackets_and_colons_mean_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    out.print("[link=https://example.org]:skull:[/link] [/]")
    err.print("[bold]")
    ran = capsys.readouterr()
    assert (ran.out, ran.err) == ("[link=https://example.org]:skull:[/link] [/]\n", "[bold]\n")


def test_wrong_usage_and_tracebacks_are_shown_as_text() -> None:
    program = (
        "import sys; from tournaments.home.cli import main; "
        "sys.argv[1:] = eval(sys.argv[1]); main()"
    )
    root = Path(__file__).parents[3]
    for arguments in (["check", "a", POISON], [POISON], ["check", f"--{POISON}"]):
        ran = subprocess.run(
            [sys.executable, "-c", program, ascii(arguments)],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"},
            check=False,
        )
        text = ran.stderr.decode()
        assert ran.returncode == 2
        assert "\\x1b" in text
        assert all(char == "\n" or is_harmless(char) for char in text), text
