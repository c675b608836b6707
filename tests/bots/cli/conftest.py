"""Run commands as a person would in a terminal, in a temporary folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bots.sandbox import detect
from tournaments.home import cli

TRUST = [] if detect().level == "full" else ["--trusted"]
"""On machines without a sandbox, commands run without one."""


@dataclass(frozen=True)
class CommandResult:
    """The outcome of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., CommandResult]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("play", FORMAT, …)`; commands that start bots get `sandboxed=True`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("CARDROOM_JOBS", "1")  # starting processes takes longer than most matches

    def run(*arguments: str, sandboxed: bool = False) -> CommandResult:
        result = CliRunner().invoke(cli.app, [*arguments, *(TRUST if sandboxed else [])])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return CommandResult(result.exit_code, result.stdout, result.stderr)

    return run
