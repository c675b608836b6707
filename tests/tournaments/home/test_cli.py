"""Tournaments at home, with the real referee."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bots.cli import app
from bots.cli.app import Commands
from bots.limits import PackageError
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.outcome import MatchOutcome
from bots.referee.parallel import MatchConditions, MatchPool
from bots.referee.referee import play_match
from engine import Format, Record
from tournaments import home
from tournaments.course.stages import StagePlan
from tournaments.home import cli

FIRST = "def choose(view, legal):\n    return legal[0]\n"
LAST = "def choose(view, legal):\n    return legal[-1]\n"
BROKEN = 'def choose(view, legal):\n    return "nonsense"\n'

ONE_DEAL = "cassino/standard/1v1?deals=1"
run = CliRunner().invoke


@pytest.fixture(autouse=True)
def single_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDROOM_JOBS", "1")  # to start processes takes longer than most matches


@pytest.fixture
def bots(tmp_path: Path) -> list[str]:
    """Three bots: two different ones, and one that answers nonsense."""
    paths = []
    for name, source in (("first", FIRST), ("last", LAST), ("broken", BROKEN)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(source)
        paths.append(str(folder))
    return paths


def test_players_with_equal_names_are_numbered(bots: list[str]) -> None:
    names = [p.name for p in house.load_players([bots[0], "house:random", bots[0], bots[1]])]
    assert names[1] == "house:random"
    assert len(set(names)) == 4
    assert names[2] == names[0].replace("#1", "#2")
    with pytest.raises(PackageError, match="No house bot"):
        house.load_players(["house:nobody"])


def test_a_tournament_is_repeatable_and_its_records_verify(bots: list[str]) -> None:
    entries = home.lineups(bots[:2])
    names = tuple(entry.name for entry in entries)
    setup = home.Setup(Format.parse(ONE_DEAL), names, "s", (StagePlan(groups=4),))
    matches: list[home.PlayedMatch] = []
    reports = []
    players = home.players_of(entries)
    conditions = MatchConditions(ONE_DEAL, players, ClockSettings(), trusted=True)
    with MatchPool(conditions, 1) as pool:
        for _ in range(2):
            course = home.HomeTournament(setup)
            course.add_results(
                home.play_matches(
                    setup, entries, course.next_matches(), pool, on_match=matches.append
                )
            )
            reports.append(home.report(course))
    one, two = reports
    assert one.standings == two.standings
    assert one.fit.ratings == two.fit.ratings
    assert len(matches) == 16
    assert one.standings[0].points + one.standings[1].points == pytest.approx(4)
    for match in one.matches:
        match.outcome.record.verify()
        assert match.result.scores == tuple((match.outcome.record.result or {})["scores"])
    assert {match.result.entrants for match in one.matches} == {names, names[::-1]}


def test_command_prints_tables(bots: list[str]) -> None:
    args = ["tournament", ONE_DEAL, *bots[:2], "--groups", "2", "--seed", "s", "--trusted"]
    result = run(app, args)
    assert result.exit_code == 0, result.output
    assert "2 deal groups, 4 matches" in result.stdout
    for text in ("place", "points", "Elo", "95 %"):
        assert text in result.stdout


def test_command_prints_json_and_writes_records(bots: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "records"
    args = ["tournament", ONE_DEAL, *bots[:2], "--groups", "2", "--json", "--trusted"]
    result = run(app, [*args, "--records", str(folder)])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["format"] == ONE_DEAL
    assert sum(row["points"] for row in report["standings"]) == pytest.approx(2)
    assert len(report["ratings"]) == 2
    assert len(report["matches"]) == 4
    files = sorted(folder.iterdir())
    assert [file.stem for file in files] == [match["name"] for match in report["matches"]]
    for file in files:
        Record.from_json(file.read_text()).verify()


def test_a_broken_bot_is_last_and_named(bots: list[str]) -> None:
    args = ["tournament", ONE_DEAL, bots[0], bots[2], "--groups", "1", "--trusted"]
    result = run(app, args)
    assert result.exit_code == 1
    assert "failed at move 1: illegal" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    place = next(line for line in lines if len(line) > 8 and line[1].lower() == "broken")
    assert place[0] == "2"
    assert place[-1] == "2"  # a fault in both matches


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["cassino/standard/ffa3", "house:random"], "needs 3 entrants or more; 1 has entered."),
        (["cassino/nonsense/1v1", "house:random", "house:random"], "nonsense"),
        (["cassino/standard/1v1", "house:random", "house:nobody"], "No house bot is called"),
        (["cassino/standard/1v1", "house:random", "/no/such/bot.py"], "/no/such/bot.py"),
        (
            ["cassino/standard/1v1", "house:random", "house:random", "--records", "/dev/null/x"],
            "/dev/null/x cannot be created",
        ),
    ],
)
def test_wrong_usage_is_explained_in_one_sentence(args: list[str], message: str) -> None:
    result = run(app, ["tournament", *args])
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_stages_partners_and_tie_breaks(bots: list[str], tmp_path: Path) -> None:
    stages = tmp_path / "stages.json"
    stages.write_text(
        json.dumps(
            [
                {"system": "swiss", "settings": {"rounds": 2}, "groups": 1},
                {"system": "knock-out", "groups": 1, "take": 2},
            ]
        )
    )
    teams = [f"{bots[0]}+{bots[1]}", f"{bots[1]}+{bots[1]}", f"{bots[0]}+{bots[0]}"]
    args = ["tournament", "cassino/standard/2v2?deals=1", *teams, "--partners", "fixed"]
    args += ["--stages", str(stages), "--tie-breaks", "buchholz,direct", "--trusted"]
    result = run(app, [*args, "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert [stage["system"] for stage in report["stages"]] == ["swiss", "knock-out"]
    assert len(report["stages"][1]["standings"]) == 2
    assert len(report["standings"]) == 3
    assert set(report["standings"][0]["tie_breaks"]) == {"buchholz", "direct"}
    assert all(" & " in row["bot"] for row in report["standings"])
    assert len(report["ratings"]) == 6  # each bot separately
    text = run(app, [*args, "--seed", "s"])
    assert "Stage 2: knock-out" in text.stdout
    assert "Buch" in text.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--system", "nonsense"], "There is no pairing system “nonsense”"),
        (["--system", "swiss", "--set", "rounds=x"], "whole number"),
        (["--system", "swiss", "--set", "turns=2"], "has no setting turns"),
        (["--tie-breaks", "wins,coin"], "no tie-break coin"),
        (["--stages", "/no/such/file"], "cannot be read"),
        (["--partners", "fixed"], "A team here is 2 bots joined by +"),
    ],
)
def test_wrong_options_are_explained_in_one_sentence(args: list[str], message: str) -> None:
    result = run(app, ["tournament", "cassino/standard/2v2", *["house:random"] * 2, *args])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_a_forecast_plays_nothing() -> None:
    args = ["tournament", ONE_DEAL, *["house:random"] * 4, "--groups", "2", "--forecast"]
    report = json.loads(run(app, [*args, "--json"]).stdout)
    assert [row["matches"] for row in report] == [24, 48, 96]
    text = run(app, args)
    assert text.exit_code == 0, text.output
    assert "best wins" in text.stdout


def test_the_script_has_all_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["cardroom", "--help"])
    with pytest.raises(SystemExit) as exited:
        cli.main()
    assert exited.value.code == 0
    names = {command.callback.__name__ for command in app.registered_commands if command.callback}
    assert {"tournament", "play", "check", "formats"} <= names


def test_ctrl_c_shows_results_and_the_run_can_be_resumed(
    bots: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = 0

    def until_the_third(*args: Any, **options: Any) -> MatchOutcome:
        nonlocal matches
        matches += 1
        if matches == 3:
            raise KeyboardInterrupt
        return play_match(*args, **options)

    monkeypatch.setattr("bots.referee.parallel.play_match", until_the_third)
    records = tmp_path / "records"
    args = ["tournament", ONE_DEAL, *bots, "--groups", "1", "--json", "--trusted"]
    arguments = [*args, "--records", str(records)]
    interrupted = run(app, arguments)
    assert interrupted.exit_code == 2, interrupted.output
    report = json.loads(interrupted.stdout)
    assert len(report["matches"]) == len(list(records.iterdir())) == 2
    assert f"--seed {report['seed']} --resume" in " ".join(interrupted.stderr.split())
    options = ["--seed", report["seed"], "--resume"]
    resumed = run(app, [*arguments, *options])
    assert (resumed.exit_code, matches) == (1, len(json.loads(resumed.stdout)["matches"]) + 1)
    assert json.loads(resumed.stdout) == json.loads(run(app, [*args, *options[:2]]).stdout)
    other = run(app, [*arguments, "--seed", "another", "--resume"])
    assert other.exit_code == 2
    assert "is the record of a different match" in other.stdout
    assert run(app, [*args, "--resume"]).exit_code == 2


def test_ctrl_c_while_the_command_exits_changes_nothing() -> None:
    """The second of two quick Ctrl-C."""
    source = """
import atexit, os, signal, sys
from tournaments.__main__ import main

atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv[1:] = ["formats", "nothing"]
main()
"""
    process = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert process.stderr.startswith("No game is called 'nothing'")
    assert len(process.stderr.splitlines()) == 1


def test_ctrl_c_between_commands_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Commands, "invoke", interrupt)
    result = run(app, ["formats"])
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "Stopped.\n")
    result = run(app, ["formats", "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stdout) == {"ok": False, "error": "Stopped."}


def test_a_missing_package_is_named() -> None:
    source = """
import sys
from tournaments.__main__ import main

sys.modules["numpy"] = None
main()
"""
    process = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith(
        "This installation is incomplete: the package numpy is missing"
    )
    assert len(process.stderr.splitlines()) == 1


def test_ctrl_c_while_the_command_loads_prints_a_word() -> None:
    source = """
import sys
from tournaments.__main__ import main

class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Impatient())
main()
"""
    process = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout, process.stderr) == (2, "", "Stopped.\n")
