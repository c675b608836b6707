"""`manage.py doctor`: findings, most serious first, each with its remedy."""

from __future__ import annotations

import io
import json
import os
import pwd
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from cardroom import doctor, doctor_probe, last_runs
from cardroom.doctor import Finding, Severity
from cardroom.management.commands import doctor as command
from cardroom.models import LastRun
from cardroom.programs import SERVICES
from cardroom_base.db.db_time import now
from tests import preloaded
from tests.servers import Postgres
from tests.sites import ROOT
from tournaments.actions import adopt_rules
from tournaments.models import RulesInForce


def examine(var: Path, *words: str, **variables: str) -> tuple[int, list[dict[str, Any]]]:
    """The command's exit status and findings."""
    process = preloaded.run(
        [sys.executable, "manage.py", "doctor", "--json", f"--settings-in={var}", *words],
        cwd=ROOT,
        env=os.environ | {"CARDROOM_VAR": str(var)} | variables,
    )
    return process.returncode, json.loads(process.stdout)


def test_wrong_settings_are_a_finding(tmp_path: Path) -> None:
    status, findings = examine(tmp_path, CARDROOM_HTTPS="maybe")
    assert status == 1
    assert findings[0]["level"] == "stops"
    assert "CARDROOM_HTTPS='maybe'" in findings[0]["what"]


def test_a_service_that_does_not_start_in_time_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 0)
    [finding] = doctor._probe_findings("", {}, None)
    assert (finding.level, finding.what) == (Severity.STOPS, "It does not start within 0 s.")


def test_findings_are_sorted_by_severity(tmp_path: Path) -> None:
    status, findings = examine(tmp_path)
    assert status == 1
    assert "manage.py migrate" in [finding["fix"] for finding in findings]
    ranks = [Severity[finding["level"].upper()] for finding in findings]
    assert ranks == sorted(ranks)


def test_a_folder_of_data_that_all_may_read_is_a_finding(tmp_path: Path) -> None:
    fix = f"chmod o= {tmp_path}"
    assert fix not in [finding["fix"] for finding in examine(tmp_path)[1]]
    tmp_path.chmod(0o755)
    _, findings = examine(tmp_path)
    assert ("endangers", fix) in [(finding["level"], finding["fix"]) for finding in findings]


def site_findings() -> list[tuple[str, str]]:
    """Levels and remedies of the findings about a migrated site."""
    return [
        (finding.level.name, finding.fix)
        for finding in doctor_probe._site_findings("", "manage.py")
    ]


@pytest.mark.django_db
def test_each_step_removes_a_finding(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path / "static"
    RulesInForce.objects.all().delete()
    adopt_rules()
    stops = [
        ("STOPS", "manage.py collectstatic --no-input"),
        ("STOPS", "manage.py createsuperuser"),
    ]
    backup = ("ENDANGERS", "manage.py backup --keep")
    assert site_findings() == [*stops, backup]
    RulesInForce.objects.filter(game="cassino").update(digest="another")
    assert ("STOPS", "manage.py adopt_rules") in site_findings()
    adopt_rules()
    (tmp_path / "static.json").touch()
    User.objects.create_superuser("staff")
    assert site_findings() == [backup]
    last_runs.record(last_runs.BACKUP)
    assert site_findings() == []
    LastRun.objects.update(at=now() - 2 * doctor_probe.MAX_BACKUP_AGE)
    assert site_findings() == [backup]
    [uploads, _] = doctor_probe._site_findings("web", "cardroom-as web")
    assert "refuses uploads" in uploads.what
    settings.WORKERS_ELSEWHERE = True
    assert len(list(doctor_probe._site_findings("web", "cardroom-as web"))) == 1


def write_settings(folder: Path, mode: int = 0o640) -> None:
    """Write settings of the four services, owned by root."""
    for service in ("web", "worker", "tables", "housekeeping"):
        path = folder / f"{service}.env"
        path.write_text(f"CARDROOM_VAR='/var/lib/cardroom/{service}'\n# A comment.\n")
        path.chmod(mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to root")
def test_readable_settings_are_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probed: list[dict[str, str]] = []
    monkeypatch.setattr(pwd, "getpwnam", lambda name: name)

    def probe(service: str, environment: dict[str, str], account: object) -> list[Finding]:
        probed.append(environment)
        return []

    monkeypatch.setattr(doctor, "_probe_findings", probe)
    monkeypatch.setattr(doctor, "_unit_findings", lambda services: [])
    monkeypatch.setattr(doctor, "_host_findings", lambda state: [])
    write_settings(tmp_path)
    assert doctor.examine(tmp_path) == []
    assert [variables["CARDROOM_VAR"] for variables in probed] == [
        f"/var/lib/cardroom/{service}" for service in ("web", "worker", "tables", "housekeeping")
    ]
    path = tmp_path / "worker.env"
    path.write_text("CARDROOM_SECRET_KEY=x\n")
    path.chmod(0o644)
    (tmp_path / "tables.env").unlink()
    assert [(finding.level, finding.service) for finding in doctor.examine(tmp_path)] == [
        *(
            (Severity.STOPS, "tables"),
            (Severity.ENDANGERS, "worker"),
            (Severity.ENDANGERS, "worker"),
        ),
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to root")
def test_shared_secrets_are_a_finding(tmp_path: Path) -> None:
    def fixes() -> list[str]:
        return [finding.fix for finding in doctor._shared_findings(tmp_path)]

    path = tmp_path / "site.env"
    assert fixes() == []
    path.write_text("CARDROOM_HSTS=60\n")
    path.chmod(0o644)
    assert fixes() == []
    mode_fix = f"chown root:root {path} && chmod 600 {path}"
    path.chmod(0o664)
    assert fixes() == [mode_fix]
    path.chmod(0o644)
    path.write_text("CARDROOM_METRICS_TOKEN=0123456789abcdef\n")
    assert fixes() == [mode_fix]
    path.write_text("CARDROOM_SECRET_KEY=x\n")
    path.chmod(0o600)
    assert fixes() == [f"Move the line to {tmp_path / 'web.env'}, unless that has a key"]


SYSTEMCTL = """#!/bin/sh
case "$*" in
    *is-enabled*cardroom-web.service*) exit 0 ;;
    *is-enabled*) exit 1 ;;
    *) echo inactive ;;
esac
"""
"""Only the web server's unit is enabled, and none is active."""


def test_services_of_other_machines_are_no_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(SYSTEMCTL)
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(doctor, "_SYSTEMD", tmp_path)
    (tmp_path / "worker.env").touch()
    services = [service for service in SERVICES if doctor._runs_here(tmp_path, service)]
    assert services == ["web", "worker"]
    findings = [finding.what for finding in doctor._unit_findings(services)]
    assert findings == [f"cardroom-{service}.service is inactive." for service in services]


@pytest.mark.parametrize(("level", "status"), [("STOPS", 1), ("ENDANGERS", 1), ("WEAKENS", 0)])
def test_the_exit_status_depends_on_the_level(
    level: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = Finding(Severity[level], "web", "It is wrong.", "repair it")
    monkeypatch.setattr(doctor, "examine", lambda folder: [finding])
    out = io.StringIO()
    arguments = {"json": False, "settings_in": tmp_path}
    if status:
        with pytest.raises(SystemExit) as error:
            command.Command(stdout=out).handle(**arguments)
        assert error.value.code == status
    else:
        command.Command(stdout=out).handle(**arguments)
    words = command.TITLES[finding.level]
    assert out.getvalue() == f"{words}:\n  web: It is wrong.\n      repair it\n"


RIGHTS = """
import django, io
django.setup()
from django.core.management import call_command
from django.db import connection
from cardroom import doctor_probe, grants
from cardroom.env_files import EnvFile
call_command("migrate", verbosity=0)
with connection.cursor() as cursor:
    cursor.execute("\\n".join(EnvFile("worker").role_statements()))
    cursor.execute('SET ROLE "cardroom-worker"')
    assert "SELECT on bots_bot" in grants.missing_privileges("worker")
    [lacking] = doctor_probe._privilege_findings("worker")
    assert "cardroom-as web grants" in lacking.fix
    cursor.execute("RESET ROLE")
    sql = io.StringIO()
    call_command("grants", "worker", stdout=sql)
    cursor.execute(sql.getvalue())
    cursor.execute('SET ROLE "cardroom-worker"')
    assert grants.missing_privileges("worker") == []
    assert list(doctor_probe._privilege_findings("worker")) == []
    cursor.execute("RESET ROLE")
    [excess] = doctor_probe._privilege_findings("worker")
    assert "password hashes" in excess.what
print("right")
"""


@pytest.mark.postgres
def test_missing_and_excessive_rights_are_findings(postgres: Postgres, tmp_path: Path) -> None:
    process = preloaded.run(
        [sys.executable, "-c", RIGHTS],
        cwd=ROOT,
        env=os.environ
        | {
            "CARDROOM_VAR": str(tmp_path),
            "DATABASE_URL": postgres.database(),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
        },
    )
    assert process.stdout == "right\n", process.stderr[-3000:]
