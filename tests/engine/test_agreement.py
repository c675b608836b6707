"""Compiled and interpreted, the engine says the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_compiled_rules_play_as_interpreted_ones_do(full_size: bool) -> None:
    """Where there is a compiler, an engine that cannot be compiled fails here."""
    size = ("30", "100000") if full_size else ("1", "40")
    interpreted = _start("interpreted", size, ROOT)  # meanwhile the other is compiled
    made = subprocess.run(
        [sys.executable, str(ROOT / "hatch_build.py")], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    compiled = _start("compiled", size, Path(made.stdout.strip()), ROOT)
    expected, found = _end(interpreted), _end(compiled)
    assert len(expected) > 70 * int(size[0])
    assert found == expected


def _start(kind: str, size: tuple[str, str], *path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.engine.agreement", kind, *size],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _end(process: subprocess.Popen[str]) -> list[str]:
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out.splitlines()
