"""Runs commands like a person at a terminal, in a temporary folder."""

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
"""On machines without a sandbox, commands are tested without one."""


@dataclass(frozen=True)
class Ran:
    """The outcome of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("play", FORMAT, …)`; commands that start bots get `sandboxed=True`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("CARDROOM_JOBS", "1")  # to start processes takes longer than most matches

    def run(*words: str, sandboxed: bool = False) -> Ran:
        result = CliRunner().invoke(cli.app, [*words, *(TRUST if sandboxed else [])])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run
