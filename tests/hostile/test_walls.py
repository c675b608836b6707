"""Each wall holds by itself: without it a program gets through that is stopped with it."""

from __future__ import annotations

import os

import pytest

from bots.sandbox import detect
from tests.hostile.harness import GOT, Verdict
from tests.hostile.settings import Setting, run
from tests.hostile.walls import WALLS, cache_is_a_tmpfs, host_has_our_python

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]


def without(walls: tuple[str, ...], *programs: str) -> dict[str, Verdict]:
    """What becomes of programs when these are missing."""
    setting = Setting(root=os.geteuid() == 0, group=False)
    arguments = [word for wall in walls for word in ("--without", wall)]
    return {verdict.name: verdict for verdict in run(setting, [*arguments, *programs])}


@pytest.fixture(scope="module")
def stopped() -> dict[str, Verdict]:
    """What becomes of each wall's program when it stands."""
    programs: dict[tuple[str, ...], list[str]] = {}
    for wall in WALLS.values():
        programs.setdefault(wall.besides, []).append(wall.program)
    seen: dict[str, Verdict] = {}
    for besides, names in programs.items():
        seen |= without(besides, *names)
    return seen


@pytest.mark.parametrize("name", WALLS)
def test_a_program_gets_through_without_it_and_only_then(
    name: str, stopped: dict[str, Verdict]
) -> None:
    wall = WALLS[name]
    if wall.root_only and os.geteuid() != 0:
        pytest.skip("an ordinary user has one user for all seats")
    if name == "root" and not host_has_our_python():
        pytest.skip("this machine's own files do not start the interpreter")

    if name == "tmpfs" and cache_is_a_tmpfs():
        pytest.skip("what bots see is built on a tmpfs here")

    assert stopped[wall.program].complaints == ()
    (seen,) = without((*wall.besides, name), wall.program).values()
    assert any(GOT in complaint for complaint in seen.complaints), seen
