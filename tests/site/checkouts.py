"""Copies of this checkout with rules that count as compiled, and commands for their programs."""

from __future__ import annotations

import compileall
import os
import re
import shlex
import shutil
from pathlib import Path

from cardroom_base.core import compiled
from tests.servers import free_port
from tests.sites import ROOT
from tests.source_copies import copy_sources

PARTS = ("bots", "deploy", "docs", "engine", "platform", "seeds", "tournaments")


def copy_checkout(folder: Path) -> None:
    """Copy this checkout into an empty folder, with its rules as byte code.

    Byte code without sources counts as compiled and takes seconds; compiling takes a minute.
    """
    for part in PARTS:
        copy_sources(ROOT / part, folder / part)
    for file in ("manage.py", "hatch_build.py", "pyproject.toml"):
        shutil.copy(ROOT / file, folder)
    home = folder / "build" / "compiled" / compiled.key(folder / "engine")
    shutil.copytree(
        folder / "engine", home / "engine", ignore=shutil.ignore_patterns("__pycache__")
    )
    compileall.compile_dir(home, quiet=2, legacy=True)
    for source in home.rglob("*.py"):
        source.unlink()


def compiled_environment(checkout: Path, var: Path) -> dict[str, str]:
    """The environment of a program of the copy; `var` is the site's folder."""
    paths = os.pathsep.join([str(checkout), str(checkout / "platform")])
    return os.environ | {
        "CARDROOM_COMPILE": "1",
        "CARDROOM_VAR": str(var),
        "CELERY_SKIP_CHECKS": "1",
        "DJANGO_SETTINGS_MODULE": "cardroom.settings",
        "PYTHONPATH": paths,
        "PYTHONUNBUFFERED": "1",
    }


def unit_command(checkout: Path, unit: str, python: str) -> list[str]:
    """The command of `cardroom-UNIT.service`, with the copy in place of /opt/cardroom."""
    text = (checkout / f"deploy/systemd/cardroom-{unit}.service").read_text().replace("\\\n", " ")
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    (folder,) = re.findall(r"^WorkingDirectory=(.*)$", text, re.MULTILINE)
    assert folder == "/opt/cardroom"
    line = line.replace("/opt/cardroom/.venv/bin/python", python)
    words = shlex.split(line.replace("/opt/cardroom", str(checkout)))
    return [*words, "--port", str(free_port())] if unit == "web" else words
