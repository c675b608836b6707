"""A sixth of the programs, as root and as an ordinary user; `make hostile` runs all of them."""

from __future__ import annotations

import pytest

from bots.sandbox import detect
from tests.hostile.collection import WALLS, Hostile, every, everything
from tests.hostile.harness import Verdict
from tests.hostile.settings import Setting, available, run

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]


def wanted(setting: Setting, *, full_size: bool) -> list[Hostile]:
    """A sixth for who we are, and every twelfth for everybody else we can be."""
    step = 6 if setting == available()[0] else 12
    return every(1 if full_size else step, everything())


@pytest.fixture(scope="module", params=available(), ids=lambda setting: setting.name)
def setting(request: pytest.FixtureRequest) -> Setting:
    """Who and where we are."""
    assert isinstance(request.param, Setting)
    return request.param


@pytest.fixture(scope="module")
def verdicts(setting: Setting, *, full_size: bool) -> dict[str, Verdict]:
    """What became of the programs there."""
    names = [one.name for one in wanted(setting, full_size=full_size)]
    return {verdict.name: verdict for verdict in run(setting, names)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({one.kind for one in everything()}))
def test_nothing_gets_through(
    kind: str, setting: Setting, verdicts: dict[str, Verdict], *, full_size: bool
) -> None:
    programs = [one for one in wanted(setting, full_size=full_size) if one.kind == kind]
    assert programs
    assert {one.name: verdicts[one.name].complaints for one in programs} == {
        one.name: () for one in programs
    }


def test_the_collection_is_large_and_names_every_wall() -> None:
    programs = everything()
    assert len({one.path for one in programs}) >= 120
    assert {wall for one in programs for wall in one.walls} == set(WALLS)
    assert len({one.name for one in programs}) == len(programs)


@pytest.mark.parametrize("step", [6, 12])
def test_a_part_covers_every_kind_and_is_always_the_same(step: int) -> None:
    programs = everything()
    chosen = every(step, programs)
    assert {one.kind for one in chosen} == {one.kind for one in programs}
    assert len(chosen) <= len(programs) / step + len({one.kind for one in programs})
    assert chosen == every(step, everything())
