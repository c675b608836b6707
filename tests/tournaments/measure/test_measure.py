"""The whole of `cardroom measure`, with a fake endpoint."""

from __future__ import annotations

import json
import multiprocessing
import re
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from bots.referee import house
from bots.referee.turns import seat_rng
from engine import Format, Match, Record
from engine.search import Level
from engine.search import level as real_level
from tests.sites import eventually
from tests.tournaments.measure.fake_endpoint import FakeEndpoint, numbers, serving
from tournaments.deal_groups import rotations
from tournaments.home import cli
from tournaments.measure import command, house_moves, prompts, run

QUICK_PLACES = {1: 1380.0, 2: 1440.0, 3: 1500.0, 4: 1580.0, 5: 1660.0}
"""Ratings of the levels of `quick_level`: 2 and 3 differ by about 60 points, 3 and 4 by 80."""

FORMAT = "paks/standard/1v1?deals=1"
KEY = "sk-very-secret-key"


def quick_level(number: int, game: str) -> Level:
    """A level that misses as many moves as the real one, but hardly searches."""
    return replace(real_level(number, game), playouts=2)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use quick levels, no processes, an empty folder and a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(house_moves, "level", quick_level)
    monkeypatch.setattr(command, "cores", lambda: 1)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with serving(lambda question: ["1", *numbers(question)][-1]) as endpoint:
        yield endpoint


def measure(fake: FakeEndpoint, *arguments: str, status: int = 0, fmt: str = FORMAT) -> Any:
    """Measure with records in the folder `m`; return the report."""
    options = ("--model", "small", "--endpoint", fake.url, "--records", "m", "--json")
    result = CliRunner().invoke(cli.app, ["measure", fmt, *options, *arguments])
    assert result.exit_code == status, (result.output, result.exception)
    assert KEY not in result.output
    return json.loads(result.stdout)


SEEDED = ("--seed", "s", "--jobs", "1")


def records() -> dict[str, Record]:
    """The records by name, without times."""
    records_by_name = {}
    for file in sorted(Path("m").glob("group-*[0-9].json")):
        record = Record.from_json(file.read_text())
        record.verify()
        record.clock_ms = []
        records_by_name[file.stem] = record
    return records_by_name


def calls() -> list[dict[str, Any]]:
    """All recorded requests, with the name of their match."""
    return [
        {"match": file.name, **json.loads(line)}
        for file in sorted(Path("m").glob("*.calls.jsonl"))
        for line in file.read_text().splitlines()
    ]


def answered_questions() -> list[tuple[Any, ...]]:
    rows = [call for call in calls() if "error" not in call]
    return [(call["match"], call["n"], call["attempt"]) for call in rows]


def test_a_player_of_level_3_is_rated_as_level_3(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions: dict[str, tuple[Match, Random]] = {}
    original = prompts.question

    def remembering(match: Match, seat: int, seen: int) -> str:
        text = original(match, seat, seen)
        positions[text] = match.copy(), Random(f"{match.seed} {seat} {len(match.moves)}")
        return text

    def play_as_level_3(text: str) -> str:
        match, rng = positions[text]
        return house_moves.move_inline(match, 3, rng)

    monkeypatch.setattr(prompts, "question", remembering)
    monkeypatch.setattr(run, "level_ratings", lambda _fmt: QUICK_PLACES)
    fake.policy = play_as_level_3
    report = measure(fake, *SEEDED, "--within", "170")
    assert report["stop"] == "within"
    assert report["low"] <= 1500 <= report["high"]
    assert report["high"] - report["low"] <= 340
    assert report["replies"] == {
        "illegal": 0,
        "unreadable": 0,
        "truncated": 0,
        "first_legal_move": 0,
    }
    assert report["tokens"]["prompt"] == 100 * len(fake.requests)


def test_resuming_after_ctrl_c_repeats_and_loses_no_requests(fake: FakeEndpoint) -> None:
    complete = measure(fake, *SEEDED, "--calls", "40")
    expected, request_count = records(), len(fake.requests)
    Path("m").rename("whole")
    fake.requests.clear()

    def interrupt(number: int) -> None:
        if number in {9, 22}:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    fake.on_request = interrupt
    interrupted = measure(fake, *SEEDED, "--calls", "40", status=2)
    assert interrupted["stop"] == "interrupted"
    assert len(answered_questions()) == len(fake.requests) >= 9
    while interrupted["stop"] == "interrupted":
        status = 2 if len(fake.requests) < 22 else 0
        interrupted = measure(fake, "--jobs", "1", "--calls", "40", "--resume", status=status)
    assert len(fake.requests) == request_count
    assert len(set(answered_questions())) == len(answered_questions()) == request_count
    assert records() == expected
    assert {**interrupted, "seconds": 0} == {**complete, "seconds": 0}


def test_concurrent_matches_lose_nothing(fake: FakeEndpoint) -> None:
    report = measure(fake, "--jobs", "6", "--seed", "s", "--calls", "100")
    assert report["groups"] * 2 == report["matches"] == len(records())
    assert len(set(answered_questions())) == len(answered_questions()) == len(fake.requests) <= 100


def test_a_failed_endpoint_stops_the_run_and_resume_continues(fake: FakeEndpoint) -> None:
    fake.faults = ["", "", "", "401"]
    report = measure(fake, *SEEDED, "--calls", "40", status=2)
    assert report["stop"] == "endpoint"
    assert report["failure"].startswith("The endpoint answered 401")
    assert report["calls"] == {"sent": 4, "failed": 1}
    assert report["rating"] is None
    # A crash may leave an incomplete line.
    with next(Path("m").glob("*.calls.jsonl")).open("a") as file:
        file.write('{"n":1,"se')
    report = measure(fake, "--jobs", "1", "--calls", "40", "--resume")
    assert report["groups"] > 0
    assert len(set(answered_questions())) == len(answered_questions()) == len(fake.requests) - 1


def test_resume_continues_at_another_address(fake: FakeEndpoint) -> None:
    """The error of a redirect asks for the right address."""
    fake.faults = ["", "", "", "redirect"]
    report = measure(fake, *SEEDED, "--calls", "40", status=2)
    assert "--endpoint" in report["failure"]
    other = fake.url.replace("127.0.0.1", "localhost")
    report = measure(fake, "--jobs", "1", "--calls", "40", "--resume", "--endpoint", other)
    assert report["groups"] > 0
    assert report["endpoint"] == f"{other}/chat/completions"
    assert json.loads(Path("m/measurement.json").read_text())["endpoint"] == report["endpoint"]


def test_repeated_moves_are_progress(fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--resume` computes the expert's moves again, which takes long in some formats."""
    fake.faults = ["", "", "", "401"]
    measure(fake, *SEEDED, "--calls", "40", status=2)
    shown = []
    show = command._progress_text

    def spied_show(progress: run.MeasurementProgress) -> str:
        shown.append((progress.calls, progress.moves))
        return show(progress)

    monkeypatch.setattr(command, "_progress_text", spied_show)
    fake.faults = ["401"]
    measure(fake, "--jobs", "1", "--calls", "40", "--resume", status=2)
    moves_before_requests = [moves for calls, moves in shown if calls == 4]
    assert moves_before_requests == list(range(1, len(moves_before_requests) + 1))
    assert len(moves_before_requests) >= 3


def test_a_wrong_reply_gets_one_explanation_then_the_first_legal_move(fake: FakeEndpoint) -> None:
    replies = iter(["99", "no idea", "let me see", "1", "9Hx9C", "99"])
    fake.policy = lambda _: next(replies, "1")
    report = measure(fake, *SEEDED, "--calls", "40")
    assert report["replies"] == {
        "illegal": 3,
        "unreadable": 2,
        "truncated": 0,
        "first_legal_move": 2,
    }
    messages = fake.requests[1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == "99"
    assert messages[3]["content"].startswith("There is no move number 99.")
    notes = [note for record in records().values() for note in record.notes.values()]
    assert len(notes) == 2
    assert all(call["move"] for call in calls() if "problem" not in call)


def test_truncated_replies_are_counted(fake: FakeEndpoint) -> None:
    fake.finish = "length"
    report = measure(fake, *SEEDED, "--calls", "60")
    assert report["replies"]["truncated"] == 2 * report["decisions"] == len(fake.requests)
    assert report["replies"]["first_legal_move"] == report["decisions"]


def test_budgets_are_respected(fake: FakeEndpoint) -> None:
    assert measure(fake, *SEEDED, "--calls", "7")["calls"]["sent"] <= 7
    assert len(fake.requests) <= 7
    fake.usage = None  # without usage, tokens are estimated
    report = measure(fake, "--resume", "--jobs", "1", "--tokens", "45000")
    assert report["stop"] == "budget"
    assert report["groups"] >= 1
    assert 20_000 < report["tokens"]["total"] < 46_000
    assert report["tokens"]["unreported_replies"] > 0


def test_the_key_is_never_written(fake: FakeEndpoint) -> None:
    fake.policy = lambda _: f"Bearer {KEY}"
    fake.faults = ["", "500", "wait 0"]
    measure(fake, *SEEDED, "--calls", "20")
    assert fake.keys[0] == f"Bearer {KEY}"
    for file in Path("m").iterdir():
        assert KEY not in file.read_text()
    assert sum("error" in call for call in calls()) == 2


def test_the_expert_judges_the_models_moves(fake: FakeEndpoint) -> None:
    report = measure(fake, *SEEDED, "--calls", "40", "--cost", "--playouts", "2")
    decisions = report["cost"]["decisions"]
    finished_calls = [
        call for call in calls() if call["match"].removesuffix(".calls.jsonl") in records()
    ]
    assert decisions == len(finished_calls) > 0
    assert 0 <= report["cost"]["agreed"] <= decisions


def test_the_report_is_readable_and_harmless(fake: FakeEndpoint) -> None:
    arguments = ["--model", "small\x1b[31m", "--endpoint", fake.url, "--records", "m"]
    result = CliRunner().invoke(
        cli.app,
        ["measure", FORMAT, *arguments, *SEEDED, "--calls", "40", "--cost", "--playouts", "2"],
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"^house:expert-3 +1500 +[12] +\d+\.\d%$", result.output, re.MULTILINE)
    assert "\x1b" not in result.output
    assert "The budget is too small for another deal group." in result.output


def test_a_folder_has_one_measurement(fake: FakeEndpoint) -> None:
    measure(fake, *SEEDED, "--calls", "3")
    assert "--resume" in measure(fake, *SEEDED, "--calls", "3", status=2)["error"]
    other = measure(fake, "--resume", "--calls", "3", "--seed", "t", status=2)
    assert "another seed: s" in other["error"]
    other = measure(fake, "--resume", "--calls", "3", "--param", "temperature=1", status=2)
    assert "another parameters" in other["error"]
    other = measure(fake, "--resume", "--calls", "3", "--model", "large", status=2)
    assert "another model: small" in other["error"]
    assert len(fake.requests) <= 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("--key-env", "NO_SUCH_VARIABLE"),
        ("--param", "temperature"),
        ("--param", "messages=[]"),
        ("--resume",),
        ("--endpoint", "https://user:pass@host/v1"),
    ],
)
def test_wrong_usage(fake: FakeEndpoint, arguments: tuple[str, ...]) -> None:
    report = measure(fake, *arguments, status=2)
    assert report["ok"] is False
    assert "pass@" not in report["error"]
    assert not Path("m").exists()
    assert fake.requests == []


def test_parameters_are_fields_of_each_request(fake: FakeEndpoint) -> None:
    arguments = ("--param", "temperature=0.5", "--param", "reasoning_effort=low")
    measure(fake, *SEEDED, "--calls", "40", *arguments)
    assert fake.requests[0]["temperature"] == 0.5
    assert fake.requests[0]["reasoning_effort"] == "low"


def test_a_level_plays_like_the_house_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_moves, "level", real_level)
    for path, content in house.load("expert-1").files.items():
        (tmp_path / path).write_bytes(content)
    module: dict[str, Any] = {}
    exec((tmp_path / "bot.py").read_text(), module)
    match = Match(FORMAT, seed="same")
    bots: list[tuple[Any, Random, list[int]]] = []
    for seat in (0, 1):
        bot, rng = module["Bot"](), seat_rng("same", seat)
        bot.start({"rng": rng, "format": FORMAT, "clock": {"move_ms": 10**6}})
        bots.append((bot, Random(rng), [0]))
    while match.turn is not None:
        seat = match.turn
        bot, random, events = bots[seat]
        for event in match.events(seat, events[0]):
            bot.event(event)
        events[0] = match.logged
        choice = bot.choose(match.view(seat), match.legal_moves())
        move = choice if isinstance(choice, str) else choice["move"]
        assert house_moves.move_inline(match, 1, random) == move
        match.play(move)


def test_processes_and_threads_play_the_same_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match(FORMAT, seed="same")
    monkeypatch.setattr(house_moves, "level", real_level)
    first, second = Random(1), Random(1)
    with house_moves.open_mover(2) as elsewhere:
        for _ in range(6):
            move = house_moves.move_inline(match, 1, first)
            assert elsewhere(match, 1, second) == move
            match.play(move)


def _search_long(*_: object) -> None:
    time.sleep(30)


def test_the_end_does_not_wait_for_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C ends the run while threads wait for moves."""
    monkeypatch.setattr(house_moves, "_choose_move", _search_long)
    with ThreadPoolExecutor(1) as threads:
        with house_moves.open_mover(2) as elsewhere:
            move = threads.submit(elsewhere, Match(FORMAT, seed="same"), 1, Random(1))
            assert eventually(multiprocessing.active_children)
        with pytest.raises(BrokenProcessPool):
            move.result()


@pytest.mark.parametrize("fmt", ["canasta/classic/3v2-rest", "zwicker/grupp/ffa5", FORMAT])
def test_the_model_plays_each_side_once(fmt: str) -> None:
    form = Format.parse(fmt)
    numbers = range(len(form.sides))
    seatings = rotations(form.sides, [number == 0 for number in numbers])
    sides = [{form.side(seat) for seat, is_model in enumerate(row) if is_model} for row in seatings]
    assert sides == [{number} for number in numbers]
