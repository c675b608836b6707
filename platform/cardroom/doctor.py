"""Lists the problems of a host: `cardroom doctor`.

It reads no settings itself, because they may be missing or wrong. For each service with a file in
/etc/cardroom, it starts a process with the service's settings and user, which examines them
(`cardroom.doctor_probe`). If there is no such file, it starts one process with its own environment.
"""

from __future__ import annotations

import json
import os
import pwd
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from cardroom.env_files import FOLDER, MODE, STATE
from cardroom.environment import SECRET
from cardroom.programs import PROGRAMS, SERVICES

MIN_FREE_BYTES: Final = 2 << 30
PROBE_SECONDS: Final = 120
"""Seconds in which that process must end."""
_AS_USER: Final = "cardroom-as"
_OTHERS_READ: Final = 0o004
_OTHERS_WRITE: Final = 0o022
"""Bits of a file's mode; the second also counts the group."""
_SYSTEMD: Final = Path("/run/systemd/system")
"""A folder that exists while systemd runs."""


class Severity(IntEnum):
    """How serious a finding is; the most serious first."""

    STOPS = 1
    """Pages, matches or tables do not work."""
    ENDANGERS = 2
    """Data or secrets may be lost."""
    WEAKENS = 3
    """Something works less well or less safely than it could."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and its remedy."""

    level: Severity
    service: str
    """Empty: the host as a whole."""
    what: str
    """The problem, as a sentence."""
    fix: str
    """A command if possible, otherwise a sentence."""

    def as_json(self) -> dict[str, Any]:
        """The finding as `--json` and the probe print it."""
        return asdict(self) | {"level": self.level.name.lower()}


def examine(folder: Path = FOLDER, state: Path = STATE) -> list[Finding]:
    """All findings, most serious first."""
    installed = any((folder / f"{service}.env").exists() for service in SERVICES)
    findings = list(_host_findings(state if installed else Path.cwd()))
    if installed:
        findings += _shared_findings(folder)
        services = [service for service in SERVICES if _runs_here(folder, service)]
        for service in services:
            findings += _service_findings(folder, service)
        findings += _unit_findings(services)
    else:
        findings += _probe_findings("", dict(os.environ), None)
    return sorted(dict.fromkeys(findings), key=lambda finding: finding.level)


def read(path: Path) -> dict[str, str]:
    """The variables of a file for systemd, unquoted."""
    values = {}
    for line in path.read_text().splitlines():
        name, equals, text = line.strip().partition("=")
        if equals and not name.startswith("#"):
            values[name] = "".join(shlex.split(text))
    return values


def _host_findings(state: Path) -> Iterator[Finding]:
    controllers = Path("/sys/fs/cgroup/cgroup.controllers")
    if not (controllers.exists() and "memory" in controllers.read_text().split()):
        yield Finding(
            *(Severity.WEAKENS, "", "Control groups (v2) cannot limit the memory of bots here."),
            "Boot with systemd.unified_cgroup_hierarchy=1, without cgroup_disable=memory.",
        )
    if state.exists() and shutil.disk_usage(state).free < MIN_FREE_BYTES:
        what = f"Less than 2 GB are free at {state}."
        yield Finding(Severity.ENDANGERS, "", what, f"df -h {state}")
    if shutil.which("timedatectl"):
        show = ["timedatectl", "show", "--property=NTPSynchronized", "--value"]
        result = subprocess.run(show, capture_output=True, text=True, check=False)
        if result.stdout.strip() == "no":
            yield Finding(
                *(Severity.WEAKENS, "", "This machine's clock is not synchronized."),
                "apt-get install systemd-timesyncd",
            )


def _shared_findings(folder: Path) -> Iterator[Finding]:
    """Problems of the settings that all services share."""
    path = folder / "site.env"
    if not path.exists():
        return
    names, stat = read(path).keys(), path.stat()
    if "CARDROOM_SECRET_KEY" in names:
        yield Finding(
            *(Severity.ENDANGERS, "", f"{path} gives all services the site's key."),
            f"Move the line to {folder / 'web.env'}, unless that has a key",
        )
    may_read = stat.st_mode & _OTHERS_READ and names & SECRET
    if stat.st_uid != 0 or stat.st_mode & _OTHERS_WRITE or may_read:
        yield Finding(
            *(Severity.ENDANGERS, "", f"Users other than root can read or change {path}."),
            f"chown root:root {path} && chmod 600 {path}",
        )


def _service_findings(folder: Path, service: str) -> Iterator[Finding]:
    path, user = folder / f"{service}.env", f"cardroom-{service}"
    if not path.exists():
        yield Finding(
            *(Severity.STOPS, service, f"{path} is missing."), f"cardroom manage env {service}"
        )
        return
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        fix = "systemd-sysusers cardroom.conf && systemd-tmpfiles --create cardroom.conf"
        yield Finding(Severity.STOPS, service, f"There is no user {user}.", fix)
        return
    stat = path.stat()
    if stat.st_uid != 0 or stat.st_mode & 0o777 & ~MODE:
        yield Finding(
            *(Severity.ENDANGERS, service, f"Users other than {user} can read or change {path}."),
            f"chown root:{user} {path} && chmod 640 {path}",
        )
    values = read(path)
    if service != "web" and "CARDROOM_SECRET_KEY" in values:
        yield Finding(
            *(Severity.ENDANGERS, service, f"{path} has the site's key, which only web needs."),
            f"sed -i /CARDROOM_SECRET_KEY/d {path}",
        )
    shared = folder / "site.env"
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    environment |= (read(shared) if shared.exists() else {}) | values
    yield from _probe_findings(service, environment, account)


def _probe_findings(
    service: str, environment: Mapping[str, str], account: pwd.struct_passwd | None
) -> Iterator[Finding]:
    """The findings of a process with the service's settings and user."""
    identity: dict[str, Any] = {}
    if account is not None and os.geteuid() == 0:
        identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        environment = {**environment, "HOME": account.pw_dir}
    command = [sys.executable, "-P", "-m", "cardroom.doctor_probe", service]
    try:
        result = subprocess.run(
            command,
            env={"CARDROOM_LOG": "CRITICAL", **environment, **_python_path()},
            cwd="/" if account else None,
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            check=False,
            **identity,
        )
        findings = json.loads(result.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        yield _failed_probe(service, f"It does not start within {PROBE_SECONDS} s.")
        return
    except (IndexError, ValueError):
        lines = result.stderr.strip().splitlines() or ["It does not start."]
        yield _failed_probe(service, " ".join(lines[-4:])[:600])
        return
    for finding in findings:
        level = Severity[finding.pop("level").upper()]
        yield Finding(level=level, **finding)


def _failed_probe(service: str, what: str) -> Finding:
    fix = f"{_AS_USER} {service} check" if service else "manage.py check"
    return Finding(Severity.STOPS, service, what, fix)


def _python_path() -> dict[str, str]:
    """The path on which this process finds the program's modules."""
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _runs_here(folder: Path, service: str) -> bool:
    """Whether this machine is to run the service: it has settings or an enabled unit here.

    Without systemd, every service counts.
    """
    if (folder / f"{service}.env").exists() or not _SYSTEMD.exists():
        return True
    programs = PROGRAMS.items()
    units = [f"cardroom-{name}.service" for name, program in programs if program.service == service]
    command = ["systemctl", "is-enabled", "--quiet", *units]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _unit_findings(services: Collection[str]) -> Iterator[Finding]:
    """Programs of these services that systemd does not run."""
    if not _SYSTEMD.exists():
        return
    for name, program in PROGRAMS.items():
        if program.service not in services:
            continue
        unit = f"cardroom-{name}.service"
        state = subprocess.run(
            ["systemctl", "is-active", unit], capture_output=True, text=True, check=False
        ).stdout.strip()
        if state != "active":
            yield Finding(
                *(Severity.STOPS, program.service, f"{unit} is {state or 'unknown'}."),
                f"systemctl enable --now {unit}; journalctl --unit {unit}",
            )
