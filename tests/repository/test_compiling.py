"""Compiling the rules, as a wheel and the benchmarks do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_checkout_compiles_whatever_its_mypy_is_told(tmp_path: Path) -> None:
    shutil.copy(ROOT / "hatch_build.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\nplugins = ["a_plugin_of_the_tests"]\n')
    engine = tmp_path / "engine"
    engine.mkdir()
    (engine / "__init__.py").write_text("")
    (engine / "one.py").write_text("ONE: int = 1\n")
    done = subprocess.run(
        [sys.executable, "hatch_build.py", "build/compiled"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "build" / "compiled").rglob("one*.so"))
