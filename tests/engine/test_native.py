"""The C program of `benchmarks/native.py` and the rules of Cassino play the same deals."""

from __future__ import annotations

from shutil import which

import pytest

from tests.benchmarks.native import compare, library


@pytest.mark.skipif(which("cc") is None, reason="there is no C compiler")
def test_deals_are_the_same_move_by_move() -> None:
    assert compare(library(), 60) == 60
