"""Control groups, on a folder that looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.sandbox import Limits, cgroup


def chosen() -> Path | None:
    """What `parent` finds now. Past its memory, which a pool of another test may fill meanwhile."""
    return cgroup.parent_group.__wrapped__()


def delegated(folder: Path, enabled: str) -> Path:
    folder.mkdir()
    (folder / "cgroup.subtree_control").write_text(enabled)
    return folder


def test_group_is_limited_filled_and_removed(tmp_path: Path) -> None:
    group = cgroup.Group(delegated(tmp_path / "above", "memory pids"), Limits(memory_mib=100))
    group.add(123)
    written = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert written == {
        "memory.max": str((100 + 16 + 32) << 20),
        "pids.max": "16",
        "cgroup.procs": "123",
    }
    assert (group.exceeded_limit(), group.killed_below_limit()) == (False, False)
    (group.folder / "memory.events").write_text("low 0\nmax 9\noom 1\noom_kill 1\n")
    assert (group.exceeded_limit(), group.killed_below_limit()) == (True, False)
    (group.folder / "memory.events").write_text("low 0\nmax 0\noom 0\noom_kill 1\n")
    assert (group.exceeded_limit(), group.killed_below_limit()) == (False, True)
    (group.folder / "memory.events").write_text("low 0\nmax 3\noom 0\noom_kill 1\n")
    assert (group.exceeded_limit(), group.killed_below_limit()) == (False, False)
    for path in group.folder.iterdir():
        path.unlink()
    group.remove()
    assert not group.folder.exists()
    group.remove()


def test_a_group_that_cannot_be_limited_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(self: cgroup.Group, name: str, value: int) -> None:
        raise PermissionError

    above = delegated(tmp_path / "above", "memory pids")
    monkeypatch.setattr(cgroup.Group, "_set", refuse)
    with pytest.raises(PermissionError):
        cgroup.Group(above, Limits())
    assert [path.name for path in above.iterdir()] == ["cgroup.subtree_control"]


def test_swap_is_forbidden_and_all_end_together_where_that_can_be_had(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    above = delegated(tmp_path / "above", "memory pids")
    plain = Path.mkdir

    def mkdir(self: Path) -> None:
        plain(self)
        for name in ("memory.swap.max", "memory.oom.group"):
            (self / name).write_text("max")

    monkeypatch.setattr(Path, "mkdir", mkdir)
    folder = cgroup.Group(above, Limits()).folder
    assert (folder / "memory.swap.max").read_text() == "0"
    assert (folder / "memory.oom.group").read_text() == "1"


def test_chosen_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    above = delegated(tmp_path / "above", "cpu memory pids")
    monkeypatch.setenv("CARDROOM_CGROUP", str(above))
    assert chosen() == above


def test_controllers_are_switched_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    above = delegated(tmp_path / "above", "")
    monkeypatch.setenv("CARDROOM_CGROUP", str(above))
    assert chosen() == above
    assert (above / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_no_group_to_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CARDROOM_CGROUP", str(tmp_path / "missing"))
    assert chosen() is None
