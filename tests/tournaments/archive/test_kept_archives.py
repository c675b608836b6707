"""Archives written by an earlier version verify as long as the rules are the same.

They are of the demo's tournaments, made by version 0.1.0 at its commit 7e483ee. Records of then are
in `tests/engine`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tournaments.archive import verify

ARCHIVES = sorted((Path(__file__).parent / "kept").glob("*.zip"))


def test_archives_exist() -> None:
    assert len(ARCHIVES) == 3


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
def test_an_earlier_archive_verifies(path: Path) -> None:
    assert verify(path).records
