"""`deploy/` and the documentation agree with the processes that `cardroom` defines."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from cardroom.env_files import EnvFile
from cardroom.programs import PROGRAMS, SERVICES

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def unit(name: str) -> dict[str, list[str]]:
    """The settings of a unit for systemd, in order."""
    values: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / f"cardroom-{name}.service").read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            values.setdefault(key, []).append(value)
    return values


def rows(name: str) -> list[list[str]]:
    """The lines of a file for sysusers or tmpfiles, split into words."""
    lines = (DEPLOY / name / "cardroom.conf").read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def test_every_program_has_a_unit() -> None:
    units = {path.stem for path in (DEPLOY / "systemd").glob("*.service")}
    assert units == {f"cardroom-{name}" for name in (*PROGRAMS, "backup")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_unit_runs_its_program_as_its_own_user(name: str) -> None:
    program, values = PROGRAMS[name], unit(name)
    (line,) = values["ExecStart"]
    group = ["/opt/cardroom/deploy/own-group"] if program.runs_bots else []
    assert line.split() == [
        *(*group, "/opt/cardroom/.venv/bin/python", "-m", "cardroom", "run", name)
    ]
    user = f"cardroom-{program.service}"
    assert values["User"] == [user]
    assert values["EnvironmentFile"] == [
        "-/etc/cardroom/site.env",
        f"/etc/cardroom/{program.service}.env",
    ]
    assert values["StateDirectory"] == [f"cardroom/{program.service}"]
    assert values["StateDirectoryMode"] == ["0700"]
    assert values["TimeoutStopSec"] == [str(program.stop_seconds)]
    assert values.get("CacheDirectory", []) == ([user] if program.runs_bots else [])
    assert ("Delegate" in values) == program.runs_bots


def test_uploads_need_no_sandbox_in_the_web_server_whose_unit_forbids_it() -> None:
    assert unit("web")["RestrictNamespaces"] == ["yes"]
    with_it = [
        service
        for service in SERVICES
        if "CARDROOM_WORKERS_ELSEWHERE" in EnvFile(service).variables()
    ]
    assert with_it == ["web"]


def test_the_backup_runs_as_the_owner_of_the_database() -> None:
    values = unit("backup")
    assert values["User"] == ["cardroom-web"]
    assert values["EnvironmentFile"] == ["-/etc/cardroom/site.env", "/etc/cardroom/web.env"]
    assert values["ExecStart"] == ["/opt/cardroom/.venv/bin/python -m cardroom backup --keep 14"]


def test_every_service_has_a_user_and_private_folders() -> None:
    users = {row[1] for row in rows("sysusers.d")}
    assert users == {f"cardroom-{service}" for service in SERVICES}
    folders = {row[1]: row[2:] for row in rows("tmpfiles.d")}
    for service in SERVICES:
        user = f"cardroom-{service}"
        assert folders[f"/var/lib/cardroom/{service}"] == ["0700", user, user]
    for program in PROGRAMS.values():
        assert (f"/var/cache/cardroom-{program.service}" in folders) == program.runs_bots


def test_the_documentation_lists_all_programs() -> None:
    text = (ROOT / "docs" / "04-operations.md").read_text()
    assert set(re.findall(r"^manage\.py run ([a-z]+)", text, re.MULTILINE)) == set(PROGRAMS)


def compose() -> dict[str, Any]:
    """The services of the compose file."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert isinstance(services, dict)
    return services


def test_compose_runs_every_program_and_its_servers() -> None:
    assert set(compose()) == {*PROGRAMS, "database", "broker", "proxy"}


def test_containers_start_again_after_a_reboot() -> None:
    # Debian's podman-restart.service starts no containers with `unless-stopped`.
    assert {service["restart"] for service in compose().values()} == {"always"}
    text = (ROOT / "docs" / "21-install.md").read_text()
    assert "`systemctl enable podman-restart`" in text


def test_only_the_proxy_reaches_the_web_server() -> None:
    """Debian 12's podman-compose ignores the subnet of a network, so no address is trusted."""
    web, proxy = compose()["web"], compose()["proxy"]
    path = web["command"][web["command"].index("--socket") + 1]
    assert proxy["command"][-2:] == ["--to", f"unix/{path}"]
    folder = Path(path).parent
    for container in (web, proxy):
        assert f"socket:{folder}" in container["volumes"]
    assert web["environment"]["CARDROOM_TRUSTED_PROXIES"] == "unix"
    assert "web" in proxy["depends_on"], "the first container owns the volume"
    assert f" {folder}\n" in (ROOT / "Containerfile").read_text()
    assert {name for name, service in compose().items() if "networks" in service} == {"proxy"}


def test_the_image_can_back_up_the_database_of_compose() -> None:
    clients = {"bookworm": 15, "trixie": 17}  # Debian's postgresql-client
    text = (ROOT / "Containerfile").read_text()
    release = re.findall(r"^FROM \S+debian:(\w+)-slim", text, re.MULTILINE)[-1]
    server = int(compose()["database"]["image"].rpartition(":")[2])
    assert server <= clients[release]


def test_each_server_has_a_stand_in_for_the_image_test() -> None:
    folders = {path.name for path in (ROOT / "tests" / "image" / "standins").iterdir()}
    assert folders - {"base.Containerfile"} == set(compose()) - set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_container_runs_its_program_without_rights(name: str) -> None:
    program, container = PROGRAMS[name], compose()[name]
    assert container["image"] == "cardroom"
    assert container["command"][:2] == ["run", name]
    assert container["cap_drop"] == ["ALL"]
    assert container["stop_grace_period"] == f"{program.stop_seconds}s"
    options = ["seccomp=deploy/seccomp.json", "unmask=ALL", "apparmor=unconfined"]
    assert container["security_opt"] == [
        "no-new-privileges",
        *(options if program.runs_bots else []),
    ]
    settings = container["environment"]
    assert f"//cardroom-{program.service}:" in settings["DATABASE_URL"]
    assert ("CARDROOM_SECRET_KEY" in settings) == (program.service == "web")


def test_the_image_runs_manage_py_as_an_ordinary_user() -> None:
    text = (ROOT / "Containerfile").read_text()
    result = text[text.rindex("\nFROM ") :]
    assert "\nUSER 999:999\n" in result
    assert "gcc" not in result
    words = ["/opt/cardroom/deploy/own-group", "/opt/cardroom/.venv/bin/python", "-P"]
    assert f"ENTRYPOINT {json.dumps([*words, '-m', 'cardroom'])}" in result
    assert 'CMD ["run", "web", "--host", "0.0.0.0"]' in result


def test_the_container_profile_allows_eight_more_calls() -> None:
    rules = json.loads((DEPLOY / "seccomp.json").read_text())["syscalls"]
    calls = {
        *("clone", "clone3", "mount", "pivot_root", "sethostname", "setns", "umount2", "unshare")
    }
    assert set(rules[-1]["names"]) == calls
    assert rules[-1]["action"] == "SCMP_ACT_ALLOW"
    refusals = [rule for rule in rules if rule["action"] == "SCMP_ACT_ERRNO"]
    assert not any(calls & set(rule["names"]) for rule in refusals)
    text = (ROOT / "docs" / "21-install.md").read_text()
    assert "`clone clone3 unshare setns mount umount2 pivot_root sethostname`" in text


def test_all_ways_to_upgrade_have_the_same_steps() -> None:
    page = (ROOT / "docs" / "21-install.md").read_text()
    stopped = page[page.index("## Upgrade\n") : page.index("### From one user")]
    operations = (ROOT / "docs" / "04-operations.md").read_text()
    running = operations[operations.index("**To upgrade**") : operations.index("## Clocks")]
    steps = re.findall(r"^cardroom-as web (\w+)", stopped, re.MULTILINE)
    assert {"migrate", "grants"} < set(steps)
    assert set(steps) <= set(re.findall(r"`manage\.py (\w+)", running))
    containers = page[page.index("## Containers") : page.index("### Kubernetes")]
    upgrade = containers[containers.index("To upgrade,") :]
    assert {*steps, "backup"} <= set(re.findall(r"\w+", upgrade))


def test_the_newest_of_several_wheels_is_installed(tmp_path: Path) -> None:
    for version in ("0.9.0", "0.10.0"):
        (tmp_path / f"cardroom-{version}-cp311-cp311-linux_x86_64.whl").touch()
    text = (ROOT / "docs" / "21-install.md").read_text()
    commands = re.findall(r"\$\((ls [^)]*whl[^)]*)\)", text)
    assert len(commands) == 2
    for command in commands:
        script = command.replace("/root/", f"{tmp_path}/")
        found = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        assert Path(found.stdout.strip()).name.startswith("cardroom-0.10.0-")
