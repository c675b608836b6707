"""The compiled and the interpreted engine agree."""

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
def test_compiled_and_interpreted_rules_agree(full_size: bool) -> None:
    """With a compiler installed, this also fails if the engine cannot be compiled."""
    size = ("30", "100000") if full_size else ("1", "40")
    interpreted = _start("interpreted", size, ROOT)  # compile the other engine meanwhile
    compilation = subprocess.run(
        [sys.executable, str(ROOT / "hatch_build.py")], capture_output=True, text=True, check=False
    )
    assert compilation.returncode == 0, compilation.stderr
    compiled = _start("compiled", size, Path(compilation.stdout.strip()), ROOT)
    expected, actual = _end(interpreted), _end(compiled)
    assert len(expected) > 70 * int(size[0])
    assert actual == expected


def _start(kind: str, size: tuple[str, str], *path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.engine.agreement", kind, *size],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _end(process: subprocess.Popen[str]) -> list[str]:
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return output.splitlines()
