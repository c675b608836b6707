"""`cardroom measure`, whole, with a fake endpoint on this machine."""

from __future__ import annotations

import json
import re
import signal
import threading
from collections.abc import Iterator
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
from tests.tournaments.measure.fake_endpoint import Fake, numbers, serving
from tournaments.deal_groups import rotations
from tournaments.home import cli
from tournaments.measure import command, house_moves, prompts, run

QUICK_PLACES = {1: 1380.0, 2: 1440.0, 3: 1500.0, 4: 1580.0, 5: 1660.0}
"""Places of the levels of `quick_level`: 2 and 3 are about 60 points apart, 3 and 4 about 80."""

FORMAT = "paks/standard/1v1?deals=1"
KEY = "sk-very-secret-key"


def quick_level(number: int, game: str) -> Level:
    """A level that overlooks as many moves as the real one, but hardly searches."""
    return replace(real_level(number, game), playouts=2)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick levels, no processes, an empty folder, a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(house_moves, "level", quick_level)
    monkeypatch.setattr(command, "cores", lambda: 1)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def fake() -> Iterator[Fake]:
    with serving(lambda question: ["1", *numbers(question)][-1]) as endpoint:
        yield endpoint


def measure(fake: Fake, *words: str, status: int = 0, fmt: str = FORMAT) -> Any:
    """The report of a measurement in the folder `m`, seeded, one match at a time."""
    options = ("--model", "small", "--endpoint", fake.url, "--records", "m", "--json")
    done = CliRunner().invoke(cli.app, ["measure", fmt, *options, *words])
    assert done.exit_code == status, (done.output, done.exception)
    assert KEY not in done.output
    return json.loads(done.stdout)


SEEDED = ("--seed", "s", "--jobs", "1")


def records() -> dict[str, Record]:
    """The records by name, without times."""
    found = {}
    for file in sorted(Path("m").glob("group-*[0-9].json")):
        record = Record.from_json(file.read_text())
        record.verify()
        record.clock_ms = []
        found[file.stem] = record
    return found


def calls() -> list[dict[str, Any]]:
    """All recorded requests, with the name of their match."""
    return [
        {"match": file.name, **json.loads(line)}
        for file in sorted(Path("m").glob("*.calls.jsonl"))
        for line in file.read_text().splitlines()
    ]


def answered() -> list[tuple[Any, ...]]:
    rows = [call for call in calls() if "error" not in call]
    return [(call["match"], call["n"], call["attempt"]) for call in rows]


def test_a_player_of_level_3_is_rated_as_level_3(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions: dict[str, tuple[Match, Random]] = {}
    ask = prompts.question

    def remembering(match: Match, seat: int, seen: int) -> str:
        text = ask(match, seat, seen)
        positions[text] = match.copy(), Random(f"{match.seed} {seat} {len(match.moves)}")
        return text

    def play_as_level_3(text: str) -> str:
        match, rng = positions[text]
        return house_moves.move_in_thread(match, 3, rng)

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


def test_ctrl_c_and_resume_lose_and_ask_nothing_twice(fake: Fake) -> None:
    whole = measure(fake, *SEEDED, "--calls", "40")
    expected, asked = records(), len(fake.requests)
    Path("m").rename("whole")
    fake.requests.clear()

    def interrupt(number: int) -> None:
        if number in {9, 22}:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    fake.on_request = interrupt
    stopped = measure(fake, *SEEDED, "--calls", "40", status=2)
    assert stopped["stop"] == "interrupted"
    assert len(answered()) == len(fake.requests) >= 9
    while stopped["stop"] == "interrupted":
        status = 2 if len(fake.requests) < 22 else 0
        stopped = measure(fake, "--jobs", "1", "--calls", "40", "--resume", status=status)
    assert len(fake.requests) == asked
    assert len(set(answered())) == len(answered()) == asked
    assert records() == expected
    assert {**stopped, "seconds": 0} == {**whole, "seconds": 0}


def test_concurrent_matches_lose_nothing(fake: Fake) -> None:
    report = measure(fake, "--jobs", "6", "--seed", "s", "--calls", "100")
    assert report["groups"] * 2 == report["matches"] == len(records())
    assert len(set(answered())) == len(answered()) == len(fake.requests) <= 100


def test_a_failed_endpoint_stops_the_run_and_resume_continues(fake: Fake) -> None:
    fake.faults = ["", "", "", "401"]
    report = measure(fake, *SEEDED, "--calls", "40", status=2)
    assert report["stop"] == "endpoint"
    assert report["failure"].startswith("The endpoint answers 401")
    assert report["calls"] == {"sent": 4, "failed": 1}
    assert report["rating"] is None
    # A crash may leave half a line.
    with next(Path("m").glob("*.calls.jsonl")).open("a") as file:
        file.write('{"n":1,"se')
    report = measure(fake, "--jobs", "1", "--calls", "40", "--resume")
    assert report["groups"] > 0
    assert len(set(answered())) == len(answered()) == len(fake.requests) - 1


def test_wrong_replies_get_the_reason_once_then_the_first_legal_move(fake: Fake) -> None:
    replies = iter(["99", "no idea", "let me see", "1", "9Hx9C", "99"])
    fake.policy = lambda _: next(replies, "1")
    report = measure(fake, *SEEDED, "--calls", "40")
    assert report["replies"] == {
        "illegal": 3,
        "unreadable": 2,
        "truncated": 0,
        "first_legal_move": 2,
    }
    second = fake.requests[1]["messages"]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]
    assert second[2]["content"] == "99"
    assert second[3]["content"].startswith("There is no move number 99.")
    notes = [note for record in records().values() for note in record.notes.values()]
    assert len(notes) == 2
    assert all(call["move"] for call in calls() if "problem" not in call)


def test_truncated_replies_are_counted(fake: Fake) -> None:
    fake.finish = "length"
    report = measure(fake, *SEEDED, "--calls", "60")
    assert report["replies"]["truncated"] == 2 * report["decisions"] == len(fake.requests)
    assert report["replies"]["first_legal_move"] == report["decisions"]


def test_budgets_are_kept(fake: Fake) -> None:
    assert measure(fake, *SEEDED, "--calls", "7")["calls"]["sent"] <= 7
    assert len(fake.requests) <= 7
    fake.usage = None  # then tokens are estimated
    report = measure(fake, "--resume", "--jobs", "1", "--tokens", "45000")
    assert report["stop"] == "budget"
    assert report["groups"] >= 1
    assert 20_000 < report["tokens"]["total"] < 46_000
    assert report["tokens"]["unreported_replies"] > 0


def test_nothing_written_contains_the_key(fake: Fake) -> None:
    fake.policy = lambda _: f"Bearer {KEY}"
    fake.faults = ["", "500", "wait 0"]
    measure(fake, *SEEDED, "--calls", "20")
    assert fake.keys[0] == f"Bearer {KEY}"
    for file in Path("m").iterdir():
        assert KEY not in file.read_text()
    assert sum("error" in call for call in calls()) == 2


def test_the_expert_judges_the_models_moves(fake: Fake) -> None:
    report = measure(fake, *SEEDED, "--calls", "40", "--cost", "--playouts", "2")
    judged = report["cost"]["decisions"]
    finished = [call for call in calls() if call["match"].removesuffix(".calls.jsonl") in records()]
    assert judged == len(finished) > 0
    assert 0 <= report["cost"]["agreed"] <= judged


def test_the_report_is_text_for_people(fake: Fake) -> None:
    words = ["--model", "small\x1b[31m", "--endpoint", fake.url, "--records", "m"]
    done = CliRunner().invoke(
        cli.app, ["measure", FORMAT, *words, *SEEDED, "--calls", "40", "--cost", "--playouts", "2"]
    )
    assert done.exit_code == 0, done.output
    assert re.search(r"^house:expert-3 +1500 +[12] +\d+\.\d%$", done.output, re.MULTILINE)
    assert "\x1b" not in done.output
    assert "The budget does not suffice for another deal group." in done.output


def test_a_folder_has_one_measurement(fake: Fake) -> None:
    measure(fake, *SEEDED, "--calls", "3")
    assert "--resume" in measure(fake, *SEEDED, "--calls", "3", status=2)["error"]
    other = measure(fake, "--resume", "--calls", "3", "--seed", "t", status=2)
    assert "another seed: s" in other["error"]
    other = measure(fake, "--resume", "--calls", "3", "--param", "temperature=1", status=2)
    assert "another parameters" in other["error"]
    assert len(fake.requests) <= 3


@pytest.mark.parametrize(
    "words",
    [
        ("--key-env", "NO_SUCH_VARIABLE"),
        ("--param", "temperature"),
        ("--param", "messages=[]"),
        ("--resume",),
        ("--endpoint", "https://user:pass@host/v1"),
    ],
)
def test_wrong_usage(fake: Fake, words: tuple[str, ...]) -> None:
    report = measure(fake, *words, status=2)
    assert report["ok"] is False
    assert "pass@" not in report["error"]
    assert not Path("m").exists()
    assert fake.requests == []


def test_parameters_are_fields_of_each_request(fake: Fake) -> None:
    words = ("--param", "temperature=0.5", "--param", "reasoning_effort=low")
    measure(fake, *SEEDED, "--calls", "40", *words)
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
        bot, random, seen = bots[seat]
        for event in match.events(seat, seen[0]):
            bot.event(event)
        seen[0] = match.logged
        chosen = bot.choose(match.view(seat), match.legal_moves())
        move = chosen if isinstance(chosen, str) else chosen["move"]
        assert house_moves.move_in_thread(match, 1, random) == move
        match.play(move)


def test_processes_play_the_same_moves_as_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match(FORMAT, seed="same")
    monkeypatch.setattr(house_moves, "level", real_level)
    first, second = Random(1), Random(1)
    with house_moves.open_mover(2) as elsewhere:
        for _ in range(6):
            move = house_moves.move_in_thread(match, 1, first)
            assert elsewhere(match, 1, second) == move
            match.play(move)


@pytest.mark.parametrize("fmt", ["canasta/classic/3v2-rest", "zwicker/grupp/ffa5", FORMAT])
def test_the_model_plays_each_side_once(fmt: str) -> None:
    form = Format.parse(fmt)
    numbers = range(len(form.sides))
    seatings = rotations(form.sides, [number == 0 for number in numbers])
    sides = [{form.side(seat) for seat, own in enumerate(row) if own} for row in seatings]
    assert sides == [{number} for number in numbers]
