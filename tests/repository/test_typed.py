"""Packages that other projects import have a py.typed file."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("package", ["engine", "bots", "tournaments"])
def test_the_package_has_a_py_typed_file(package: str) -> None:
    assert (ROOT / package / "py.typed").read_bytes() == b""
