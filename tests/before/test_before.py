"""Records and archives that an earlier program wrote: while rules are the same, they verify.

Made by version 0.1.0 at its commit 7e483ee: `cardroom play FORMAT house:greedy house:random
--deals 1 --record FILE`, and the archives of the demo's tournaments.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Record
from tournaments.archive import verify

HERE = Path(__file__).parent
RECORDS = sorted(HERE.glob("*.json"))
ARCHIVES = sorted(HERE.glob("*.zip"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_of_before_verifies(path: Path) -> None:
    assert Record.from_json(path.read_text()).verify().result


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
def test_an_archive_of_before_verifies(path: Path) -> None:
    assert verify(path).records


def test_they_are_of_every_game() -> None:
    games = {Record.from_json(path.read_text()).format.partition("/")[0] for path in RECORDS}
    assert games == {"cassino", "canasta", "spoon-eye", "zwicker", "paks"}
    assert len(ARCHIVES) == 3
