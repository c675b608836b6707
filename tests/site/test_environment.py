"""cardroom.environment: what the environment may say, and what is said of the rest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cardroom.environment import SECRET, VARIABLES, WrongEnvironment, ignored, read

ROOT = Path(__file__).resolve().parents[2]
WRONG = {
    "DATABASE_URL": "mysq://x",
    "REDIS_URL": "localhost:6379",
    "CARDROOM_BROKER_URL": "rabbit://somewhere",
    "CARDROOM_HOSTS": ",",
    "CARDROOM_HTTPS": "yes",
    "CARDROOM_DEBUG": "true",
    "CARDROOM_WORKERS_ELSEWHERE": "2",
    "CARDROOM_TRUSTED_PROXIES": "proxy",
    "CARDROOM_DUMP_AT": "3:15",
    "CARDROOM_LOG": "loud",
    "CARDROOM_DRAIN_SECONDS": "nan",
    "CARDROOM_DUMPS_KEPT": "0",
    "CARDROOM_DB_IDLE": "-1",
}
FREE = {"CARDROOM_VAR", "CARDROOM_DUMP_DIR", "CARDROOM_SECRET_KEY"}
"""They may be any text."""


def test_all_wrong_variables_are_told_at_once_with_what_would_be_right() -> None:
    wrong = dict.fromkeys(VARIABLES.keys() - FREE, "two") | WRONG
    with pytest.raises(WrongEnvironment) as error:
        read(wrong)
    first, *lines = str(error.value).splitlines()
    assert first == "These variables of the environment are wrong:"
    assert len(lines) == len(wrong)
    for name, text in wrong.items():
        shown = "***" if name in SECRET else repr(text)
        assert f"  {name}={shown}: must be {VARIABLES[name].right}." in lines


def test_what_is_empty_has_its_default() -> None:
    defaults = read({})
    assert read(dict.fromkeys(VARIABLES, " ")) == defaults | {"CARDROOM_DUMP_AT": ""}
    for name, variable in VARIABLES.items():
        assert defaults[name] == variable.default


def test_what_is_right_is_read() -> None:
    said = read({"CARDROOM_HTTPS": "1", "CARDROOM_MAX_BOTS": "7", "CARDROOM_HOSTS": "a.org, b.org"})
    assert (said["CARDROOM_HTTPS"], said["CARDROOM_MAX_BOTS"]) == (True, 7)
    assert said["CARDROOM_HOSTS"] == ["a.org", "b.org"]


def test_a_mistyped_name_is_told_with_the_nearest_one() -> None:
    there = dict.fromkeys(("CARDROOM_HOST", "CARDROOM_MAX_BOT", "CARDROOM_COLOUR"), "x")
    there["CARDROOM_DATABASE_URL"] = "x"
    assert ignored(there | {"CARDROOM_CGROUP": "/x", "CARDROOM_HOSTS": "x", "PATH": "x"}) == [
        "There is no setting CARDROOM_COLOUR: it is ignored.",
        "There is no setting CARDROOM_DATABASE_URL: it is ignored. Did you mean DATABASE_URL?",
        "There is no setting CARDROOM_HOST: it is ignored. Did you mean CARDROOM_HOSTS?",
        "There is no setting CARDROOM_MAX_BOT: it is ignored. Did you mean CARDROOM_MAX_BOTS?",
    ]
    assert ignored(dict.fromkeys(VARIABLES, "x")) == []


@pytest.mark.parametrize(
    "command",
    [["manage.py", "check"], ["-c", "from cardroom.wsgi import application"]],
    ids=["a command", "a web server"],
)
def test_a_mistyped_name_is_told_at_start(command: list[str], tmp_path: Path) -> None:
    environment = os.environ | {
        "CARDROOM_HOST": "cards.example.org",
        "CARDROOM_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "cardroom.settings",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
    }
    ran = subprocess.run(
        [sys.executable, *command],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr.count("CARDROOM_HOST: it is ignored. Did you mean CARDROOM_HOSTS?") == 1


def test_nothing_starts_and_nobody_sees_a_traceback(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    for wrong, words in (
        ({"CARDROOM_MAX_BOTS": "two"}, "CARDROOM_MAX_BOTS='two': must be a whole number"),
        ({"CARDROOM_VAR": str(blocked)}, "CARDROOM_VAR"),
    ):
        environment = os.environ | {"CARDROOM_VAR": str(tmp_path / "var")} | wrong
        environment["DJANGO_SETTINGS_MODULE"] = "cardroom.settings"
        command = [sys.executable, str(ROOT / "manage.py"), "check"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 1
        assert words in ran.stderr
        assert "Traceback" not in ran.stderr


def test_the_manual_has_the_same_variables() -> None:
    manual = (ROOT / "docs/04-operations.md").read_text()
    listed = re.findall(r"^\| `([A-Z_]+)` \|", manual, re.MULTILINE)
    assert sorted(listed) == sorted(VARIABLES)
