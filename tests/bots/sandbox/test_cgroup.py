"""Control groups, in a folder that imitates one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.sandbox import Limits, cgroup


def parent_now() -> Path | None:
    """The uncached result of `parent_group`; sandboxes of other tests may fill its cache."""
    return cgroup.parent_group.__wrapped__()


def delegated(folder: Path, enabled: str) -> Path:
    folder.mkdir()
    (folder / "cgroup.subtree_control").write_text(enabled)
    return folder


def test_group_is_limited_filled_and_removed(tmp_path: Path) -> None:
    group = cgroup.ControlGroup(
        delegated(tmp_path / "above", "memory pids"), Limits(memory_mib=100)
    )
    group.add(123)
    files = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert files == {
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
    def refuse(self: cgroup.ControlGroup, name: str, value: int) -> None:
        raise PermissionError

    parent_group = delegated(tmp_path / "above", "memory pids")
    monkeypatch.setattr(cgroup.ControlGroup, "_set", refuse)
    with pytest.raises(PermissionError):
        cgroup.ControlGroup(parent_group, Limits())
    assert [path.name for path in parent_group.iterdir()] == ["cgroup.subtree_control"]


def test_swap_and_partial_kills_are_off_if_supported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parent_group = delegated(tmp_path / "above", "memory pids")
    original = Path.mkdir

    def mkdir(self: Path) -> None:
        original(self)
        for name in ("memory.swap.max", "memory.oom.group"):
            (self / name).write_text("max")

    monkeypatch.setattr(Path, "mkdir", mkdir)
    folder = cgroup.ControlGroup(parent_group, Limits()).folder
    assert (folder / "memory.swap.max").read_text() == "0"
    assert (folder / "memory.oom.group").read_text() == "1"


def test_chosen_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parent_group = delegated(tmp_path / "above", "cpu memory pids")
    monkeypatch.setenv("CARDROOM_CGROUP", str(parent_group))
    assert parent_now() == parent_group


def test_controllers_are_enabled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parent_group = delegated(tmp_path / "above", "")
    monkeypatch.setenv("CARDROOM_CGROUP", str(parent_group))
    assert parent_now() == parent_group
    assert (parent_group / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_without_a_group_there_is_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CARDROOM_CGROUP", str(tmp_path / "missing"))
    assert parent_now() is None
