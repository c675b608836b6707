"""Runs commands as a person at a terminal would, in a folder of their own."""

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
"""Where no sandbox can be had, commands are tested without one."""


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

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
