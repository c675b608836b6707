"""Each wall is needed: without it, a program gets through that it otherwise stops."""

from __future__ import annotations

import os

import pytest

from bots.sandbox import detect
from tests.hostile.harness import SUCCESS_MARK, Verdict
from tests.hostile.settings import WorkerSetup, run
from tests.hostile.walls import WALLS, cache_is_a_tmpfs, host_has_python

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]


def judge_without(walls: tuple[str, ...], *programs: str) -> dict[str, Verdict]:
    """Verdicts of programs without these walls."""
    setting = WorkerSetup(root=os.geteuid() == 0, group=False)
    arguments = [word for wall in walls for word in ("--without", wall)]
    return {verdict.name: verdict for verdict in run(setting, [*arguments, *programs])}


@pytest.fixture(scope="module")
def verdicts_with_walls() -> dict[str, Verdict]:
    """The verdict of each wall's program when the wall stands."""
    programs: dict[tuple[str, ...], list[str]] = {}
    for wall in WALLS.values():
        programs.setdefault(wall.also_removed, []).append(wall.program)
    verdicts: dict[str, Verdict] = {}
    for also_removed, names in programs.items():
        verdicts |= judge_without(also_removed, *names)
    return verdicts


@pytest.mark.parametrize("name", WALLS)
def test_a_program_gets_through_only_without_the_wall(
    name: str, verdicts_with_walls: dict[str, Verdict]
) -> None:
    wall = WALLS[name]
    if wall.root_only and os.geteuid() != 0:
        pytest.skip("an ordinary user has one user for all seats")
    if name == "root" and not host_has_python():
        pytest.skip("this machine's own files do not start the interpreter")

    if name == "tmpfs" and cache_is_a_tmpfs():
        pytest.skip("the files of bots are built on a tmpfs here")

    assert verdicts_with_walls[wall.program].complaints == ()
    (verdict,) = judge_without((*wall.also_removed, name), wall.program).values()
    assert any(SUCCESS_MARK in complaint for complaint in verdict.complaints), verdict
