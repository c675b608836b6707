"""Checks the page of installation without a Debian; `make install-test` runs its commands."""

from __future__ import annotations

import re
import subprocess

import pytest

from cardroom.programs import PROGRAMS, SERVICES
from tests.install.page import NAME, PAGE, blocks
from tests.repository.test_deploy import DEPLOY

TEXT = "\n".join(block.script for block in blocks())
UNITS = {f"cardroom-{name}" for name in PROGRAMS}


def test_every_block_is_for_a_wheel_a_checkout_or_both() -> None:
    assert {block.only for block in blocks()} == {"", "wheel", "checkout"}
    assert len(re.findall(r"^```sh", PAGE.read_text(), re.MULTILINE)) == len(blocks())
    assert NAME in TEXT


@pytest.mark.parametrize("index", range(len(blocks())))
def test_each_block_is_valid_shell(index: int) -> None:
    subprocess.run(["bash", "-n", "-c", blocks()[index].script], check=True)


def test_it_names_all_services_and_processes() -> None:
    (services,) = re.findall(r"^for service in (.*); do$", TEXT, re.MULTILINE)
    assert services.split() == list(SERVICES)
    for action in ("enable --now", "stop", "start"):
        commands = re.findall(rf"^systemctl {action} (cardroom-web .*)$", TEXT, re.MULTILINE)
        assert commands, action
        assert all(set(command.split()) == UNITS for command in commands), action


def test_the_files_that_it_copies_exist() -> None:
    sources = re.findall(r" /opt/cardroom/deploy/((?:sysusers|tmpfiles|systemd)\S+)", TEXT)
    assert {"sysusers.d", "tmpfiles.d", "systemd"} <= {
        source.partition("/")[0] for source in sources
    }
    for source in sources:
        assert list(DEPLOY.glob(source)), source


def test_its_management_commands_exist() -> None:
    commands = re.findall(r"(?:^|\n| )cardroom(?:-as [a-z]+| manage) ([a-z_]+)", TEXT)
    own_commands = {
        path.stem for path in PAGE.parents[1].glob("platform/cardroom/management/commands/*")
    }
    assert {"migrate", "adopt_rules", "seed", "grants", "env", "backup", "restore"} <= set(commands)
    assert set(commands) - own_commands == {"collectstatic", "createsuperuser"}


def test_the_proxy_uses_the_port_of_the_web_server() -> None:
    (port,) = re.findall(r"reverse_proxy 127\.0\.0\.1:(\d+)", TEXT)
    source = (DEPLOY.parent / "platform/cardroom/management/commands/serve.py").read_text()
    assert f'"--port", type=int, default={port}' in source
