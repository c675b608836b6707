"""cardroom.environment: valid values, and errors and warnings about others."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardroom.environment import SECRET, WrongEnvironment, env, unknown_variables
from tests import preloaded

ROOT = Path(__file__).resolve().parents[2]
WRONG = {
    "DATABASE_URL": "mysq://user:password@host",
    "REDIS_URL": "localhost:6379",
    "CARDROOM_BROKER_URL": "rabbit://somewhere",
    "CARDROOM_HOSTS": ",",
    "CARDROOM_HTTPS": "maybe",
    "CARDROOM_DEBUG": "2",
    "CARDROOM_WORKERS_ELSEWHERE": "elsewhere",
    "CARDROOM_TRUSTED_PROXIES": "10.0.0.7,proxy",
    "CARDROOM_DUMP_AT": "3:15",
    "CARDROOM_METRICS_TOKEN": "fifteen-letters",
    "CARDROOM_METRICS_NETWORKS": "10.0.0.7,unix",
    "CARDROOM_SENTRY_DSN": "https://sentry.example.org/1",
    "CARDROOM_SIGNUP_CODE": "five5",
    "CARDROOM_OIDC_URL": "http://id.example.org",
    "CARDROOM_TRUSTED_NETWORKS": "lecture-hall",
    "CARDROOM_LOG": "loud",
    "CARDROOM_LOG_FORMAT": "yaml",
    "CARDROOM_DRAIN_SECONDS": "nan",
    "CARDROOM_DUMPS_KEPT": "0",
    "CARDROOM_TABLE_MEMORY_MB": "63",
    "CARDROOM_MAX_BOTS": "-1",
}
FREE = {
    "CARDROOM_VAR",
    "CARDROOM_DUMP_DIR",
    "CARDROOM_DUMP_LICENCE",
    "CARDROOM_MAIL_FROM",
    "CARDROOM_OIDC_CLIENT",
    "CARDROOM_OIDC_NAME",
    "CARDROOM_OIDC_SECRET",
    "CARDROOM_SECRET_KEY",
}
"""Variables that may be any text."""
VARIABLES = frozenset(env.dump())
SHOW_SETTINGS = """
import json
from cardroom import settings
values = {name: getattr(settings, name) for name in dir(settings) if name.isupper()}
print(json.dumps(values, default=str, sort_keys=True))
"""


def settings(var: Path, **variables: str) -> dict[str, Any]:
    """The site's settings as another process reads them. Raises WrongEnvironment."""
    return dict(json.loads(output_of(SHOW_SETTINGS, var, **variables)))


def output_of(source: str, var: Path, **variables: str) -> str:
    """The output of a Python program in a site's environment. Raises WrongEnvironment."""
    environment = {name: text for name, text in os.environ.items() if name not in VARIABLES}
    environment["PYTHONPATH"] = f"{ROOT}:{ROOT / 'platform'}"
    process = preloaded.run(
        [sys.executable, "-c", source],
        env=environment | {"CARDROOM_VAR": str(var)} | variables,
        cwd=ROOT,
    )
    if process.returncode:
        raise WrongEnvironment(process.stderr)
    return process.stdout


def test_all_wrong_variables_are_listed_with_reasons(tmp_path: Path) -> None:
    wrong_values = dict.fromkeys(VARIABLES - FREE, "two") | WRONG
    with pytest.raises(WrongEnvironment) as error:
        settings(tmp_path, **wrong_values)
    first, *lines = str(error.value).splitlines()
    assert first == "These variables of the environment are wrong:"
    assert len(lines) == len(wrong_values)
    for name, text in wrong_values.items():
        value = "***" if name in SECRET else repr(text)
        (line,) = (line for line in lines if line.startswith(f"  {name}={value}: "))
        assert line.endswith(".")
    assert "password" not in str(error.value).replace("user:password@host", "")


def test_a_blank_list_of_libraries_offers_none(tmp_path: Path) -> None:
    source = "from cardroom import settings; from bots.sandbox import libraries; "
    source += "print(libraries.installed())"
    assert output_of(source, tmp_path, CARDROOM_LIBRARIES=" ") == "{}\n"


def test_a_blank_variable_has_its_default(tmp_path: Path) -> None:
    defaults = settings(tmp_path)
    blank = settings(tmp_path, **dict.fromkeys(VARIABLES - {"CARDROOM_VAR"}, " "))
    assert defaults["DUMP_AT"] == "03:15"
    assert "dump" in defaults["CELERY_BEAT_SCHEDULE"]
    del defaults["CELERY_BEAT_SCHEDULE"]["dump"]  # blank: never
    assert blank == defaults | {"DUMP_AT": ""}


def test_valid_values_are_read(tmp_path: Path) -> None:
    values = settings(
        tmp_path,
        CARDROOM_HTTPS="1",
        CARDROOM_MAX_BOTS="7",
        CARDROOM_HOSTS="a.org, b.org",
        CARDROOM_TRUSTED_PROXIES="unix, 10.0.1.0/24",
        CARDROOM_MAX_EXPORTS_MB="1",
    )
    assert (values["HTTPS"], values["MAX_BOTS"], values["MAX_EXPORTS_BYTES"]) == (True, 7, 1 << 20)
    assert values["ALLOWED_HOSTS"] == ["a.org", "b.org"]
    assert values["TRUSTED_PROXIES"] == ["unix", "10.0.1.0/24"]


@pytest.mark.parametrize(
    ("name", "text", "other_name"),
    [
        ("CARDROOM_SIGNUP", "code", "CARDROOM_SIGNUP_CODE"),
        ("CARDROOM_SIGNUP", "provider", "CARDROOM_OIDC_URL"),
        ("CARDROOM_OIDC_URL", "https://id.example.org", "CARDROOM_OIDC_CLIENT"),
    ],
)
def test_a_setting_may_need_another(tmp_path: Path, name: str, text: str, other_name: str) -> None:
    with pytest.raises(WrongEnvironment, match=f"^{name}=?.* needs a {other_name}"):
        settings(tmp_path, **{name: text})


def test_a_mistyped_name_gets_a_suggestion() -> None:
    variables = dict.fromkeys(("CARDROOM_HOST", "CARDROOM_MAX_BOT", "CARDROOM_COLOUR"), "x")
    variables["CARDROOM_DATABASE_URL"] = "x"
    assert unknown_variables(
        variables | {"CARDROOM_CGROUP": "/x", "CARDROOM_HOSTS": "x", "PATH": "x"}
    ) == [
        "There is no setting CARDROOM_COLOUR: it is ignored.",
        "There is no setting CARDROOM_DATABASE_URL: it is ignored. Did you mean DATABASE_URL?",
        "There is no setting CARDROOM_HOST: it is ignored. Did you mean CARDROOM_HOSTS?",
        "There is no setting CARDROOM_MAX_BOT: it is ignored. Did you mean CARDROOM_MAX_BOTS?",
    ]
    assert unknown_variables(dict.fromkeys(VARIABLES, "x")) == []


@pytest.mark.parametrize(
    "command",
    [["manage.py", "check"], ["-c", "from cardroom.wsgi import application"]],
    ids=["a command", "a web server"],
)
def test_a_mistyped_name_is_reported_at_start(command: list[str], tmp_path: Path) -> None:
    environment = os.environ | {
        "CARDROOM_HOST": "cards.example.org",
        "CARDROOM_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "cardroom.settings",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
    }
    process = subprocess.run(
        [sys.executable, *command],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stderr.count("CARDROOM_HOST: it is ignored. Did you mean CARDROOM_HOSTS?") == 1


def test_wrong_settings_stop_the_start_without_a_traceback(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    for wrong_values, words in (
        ({"CARDROOM_MAX_BOTS": "two"}, "CARDROOM_MAX_BOTS='two': Not a valid integer."),
        ({"CARDROOM_VAR": str(blocked)}, "CARDROOM_VAR"),
    ):
        environment = os.environ | {"CARDROOM_VAR": str(tmp_path / "var")} | wrong_values
        environment["DJANGO_SETTINGS_MODULE"] = "cardroom.settings"
        command = [sys.executable, str(ROOT / "manage.py"), "check"]
        process = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        assert process.returncode == 1
        assert words in process.stderr
        assert "Traceback" not in process.stderr


def test_the_manual_lists_all_variables() -> None:
    manual = (ROOT / "docs/04-operations.md").read_text()
    names = re.findall(r"^\| `([A-Z_]+)` \|", manual, re.MULTILINE)
    assert sorted(names) == sorted(VARIABLES)
