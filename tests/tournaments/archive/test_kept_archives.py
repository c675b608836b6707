"""Archives that an earlier program wrote: while the rules are the same, they verify.

They are of the demo's tournaments, made by version 0.1.0 at its commit 7e483ee. Records of then are
in `tests/engine`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tournaments.archive import verify

ARCHIVES = sorted((Path(__file__).parent / "kept").glob("*.zip"))


def test_there_are_some() -> None:
    assert len(ARCHIVES) == 3


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
def test_an_archive_of_before_verifies(path: Path) -> None:
    assert verify(path).records
