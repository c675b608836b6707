"""The documentation site builds, and all its links and references have targets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_site_builds(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", f"--site-dir={tmp_path}"],
        cwd=ROOT,
        env=os.environ
        | {"NO_MKDOCS_2_WARNING": "1", "DJANGO_SETTINGS_MODULE": "cardroom.settings"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    rest = (tmp_path / "reference" / "rest.html").read_text("utf-8")
    assert "/api/v1/bots/{slug}/" in rest
    assert "legal_moves" in (tmp_path / "reference" / "engine.html").read_text("utf-8")
