"""`manage.py env` and `run`: the settings and the command of each service."""

from __future__ import annotations

import grp
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cardroom.env_files import EnvFile, EnvFileError
from cardroom.programs import PROGRAMS, SERVICES, command
from tests import preloaded
from tests.sites import ROOT

GROUP = grp.getgrgid(os.getgid()).gr_name
SETTINGS = """
import json
from cardroom import settings
print(json.dumps([settings.DATABASES["default"], settings.SECRET_KEY, settings.HTTPS]))
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to root")


def manage(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {key: text for key, text in os.environ.items() if key != "CARDROOM_VAR"}
    return preloaded.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment | {"CARDROOM_MAX_BOTS": "wrong"},
    )


@needs_root
def test_a_file_is_overwritten_only_by_force(tmp_path: Path) -> None:
    words = ("env", "web", "--host", "cards.example.org", "--to", str(tmp_path), "--group", GROUP)
    process = manage(*words)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines()[1:] == ['ALTER ROLE "cardroom-web" LOGIN;']
    path = tmp_path / "web.env"
    content = path.read_text()
    stat = path.stat()
    assert (stat.st_mode & 0o777, stat.st_uid, stat.st_gid) == (0o640, 0, os.getgid())
    second = manage(*words)
    assert (second.returncode, path.read_text()) == (1, content)
    assert "--force" in second.stderr
    assert second.stdout == ""
    assert manage(*words, "--force").returncode == 0
    assert path.read_text() != content
    assert {entry.name for entry in tmp_path.iterdir()} == {"web.env"}


def test_a_missing_group_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(EnvFileError, match="systemd-sysusers"):
        EnvFile("worker").write(tmp_path, "no-such-group", force=False)
    assert list(tmp_path.iterdir()) == []


def test_only_the_web_server_gets_a_key() -> None:
    files = {service: EnvFile(service).variables() for service in SERVICES}
    with_key = [service for service in SERVICES if "CARDROOM_SECRET_KEY" in files[service]]
    assert with_key == ["web"]
    assert len(files["web"]["CARDROOM_SECRET_KEY"]) >= 50
    assert len({values["DATABASE_URL"] for values in files.values()}) == len(SERVICES)


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_on_another_machine_gets_a_role_with_a_password(service: str) -> None:
    file = EnvFile.new(service, "postgres://10.0.0.5/cards?connect_timeout=30", "redis://a/0", "")
    assert len(file.password) >= 24
    url = f"postgres://cardroom-{service}:{file.password}@10.0.0.5/cards?connect_timeout=30"
    assert file.variables()["DATABASE_URL"] == url
    _, login = file.role_statements()
    assert login == f"ALTER ROLE \"cardroom-{service}\" LOGIN PASSWORD '{file.password}';"


def test_the_user_of_the_url_stays() -> None:
    file = EnvFile.new("web", "postgres://me:secret@10.0.0.5/cards", "redis://a/0", "")
    assert file.variables()["DATABASE_URL"] == "postgres://me:secret@10.0.0.5/cards"
    assert list(file.role_statements()) == []


@needs_root
def test_shells_and_settings_read_the_file(tmp_path: Path) -> None:
    """systemd removes quotes as shells do."""
    options = "connect_timeout=30&options=-c%20lock_timeout%3D3s"
    database = f"postgres://%2Frun%2Fpostgresql/cardroom?{options}"
    file = EnvFile.new("web", database, "redis://127.0.0.1/0", "cards.example.org")
    path = file.write(tmp_path, GROUP, force=False)
    script = f"set -a; . {path}; exec {sys.executable} -c {shlex.quote(SETTINGS)}"
    process = subprocess.run(
        ["sh", "-c", script.replace("exec ", f"CARDROOM_VAR={tmp_path}/var; exec ", 1)],
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    values, key, https = json.loads(process.stdout)
    assert (values["USER"], values["HOST"], values["NAME"]) == (
        *("cardroom-web", "/run/postgresql", "cardroom"),
    )
    assert values["PASSWORD"] == ""
    assert len(key) >= 50
    assert https is True


def test_run_starts_the_program(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "manage.py", "run", "web", "--port", "wrong"],
        cwd=ROOT,
        env=os.environ | {"CARDROOM_VAR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "argument --port: invalid int value: 'wrong'" in process.stderr


def test_more_arguments_come_last() -> None:
    for name in PROGRAMS:
        assert command(name, "--more")[-1] == "--more"
    assert command("web")[1:] == ["-m", "cardroom", "serve"]
    assert "--concurrency" in command("tables")


def test_a_worker_has_no_more_processes_than_cores_it_may_use() -> None:
    """Bots of two matches on one core could pass messages."""
    programs = "from cardroom.programs import command; print(command('worker')[-2:])"
    set_up = "import os, django; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"
    child = [sys.executable, "-c", f"{set_up}; django.setup(); {programs}"]
    assert subprocess.check_output(child, text=True) == "['--concurrency', '1']\n"
