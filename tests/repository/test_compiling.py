"""Compiles the rules as in a wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_compiling_ignores_the_configuration_of_mypy(tmp_path: Path) -> None:
    shutil.copy(ROOT / "hatch_build.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\nplugins = ["a_plugin_of_the_tests"]\n')
    engine = tmp_path / "engine"
    engine.mkdir()
    (engine / "__init__.py").write_text("")
    (engine / "one.py").write_text("ONE: int = 1\n")
    process = subprocess.run(
        [sys.executable, "hatch_build.py", "build/compiled"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    assert list((tmp_path / "build" / "compiled").rglob("one*.so"))
