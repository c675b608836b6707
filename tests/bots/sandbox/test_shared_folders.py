"""Folders for bots: protected, without information, rebuilt when damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.sandbox import SandboxUnavailable, cleanup, shared_folders

FILES = {"here": 3, "inner/there": None}


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(shared_folders, "cache_folder", lambda: tmp_path)
    return tmp_path


def fill(tree: Path) -> None:
    (tree / "here").write_text("one")
    (tree / "inner").mkdir(mode=0o700)
    (tree / "inner" / "there").write_text("two")
    (tree / "inner" / "there").chmod(0o4711)
    (tree / "link").symlink_to("inner")


def fail_to_build(tree: Path) -> None:
    raise AssertionError("it is there already")


def release(entry: Path) -> None:
    """Release a folder's lock, as if its process had ended."""
    os.close(cleanup._locks.pop(entry))


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_others_may_only_read(home: Path) -> None:
    umask = os.umask(0o077)
    try:
        tree = shared_folders.ensure("some", FILES, fill)
    finally:
        os.umask(umask)
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (tree, *tree.rglob("*"))}
    assert modes == {"tree": 0o755, "here": 0o644, "inner": 0o755, "there": 0o755, "link": 0o755}
    assert tree.parent.stat().st_mode & 0o7777 == 0o755


def test_times_are_fixed(home: Path) -> None:
    tree = shared_folders.ensure("some", FILES, fill)
    shared_folders.ensure("some", FILES, fail_to_build)
    assert {path.lstat().st_mtime for path in (tree, *tree.rglob("*"))} == {
        shared_folders._FILE_TIME
    }


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_missing_or_cut_files_are_restored(harm: Callable[[Path], object], home: Path) -> None:
    tree = shared_folders.ensure("some", FILES, fill)
    harm(tree / "here")
    assert shared_folders.ensure("some", FILES, fill) == tree
    assert (tree / "here").read_text() == "one"
    assert list(home.iterdir()) == [tree.parent]


def test_a_failed_build_leaves_nothing(home: Path) -> None:
    def fail(tree: Path) -> None:
        (tree / "missing" / "file").write_text("")

    with pytest.raises(SandboxUnavailable, match="No such file"):
        shared_folders.ensure("some", FILES, fail)
    assert list(home.iterdir()) == []


def test_unused_folders_are_deleted_unless_a_process_holds_them(home: Path) -> None:
    unused, used = (shared_folders.ensure(name, FILES, fill).parent for name in ("old", "held"))
    release(unused)
    for entry in (unused, used):
        os.utime(entry, (0, 0))
    shared_folders.ensure("new", FILES, fill)
    assert {path.name for path in home.iterdir()} == {"held", "new"}


def test_a_folder_that_another_process_renames_meanwhile_is_ignored(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([folder / "building-gone"]))
    assert shared_folders.ensure("some", FILES, fill).is_dir()


def test_each_folder_has_one_descriptor(home: Path) -> None:
    count = descriptors()
    for _ in range(3):
        entry = shared_folders.ensure("some", FILES, fill).parent
    assert descriptors() == count + 1
    release(entry)


def test_a_folder_that_others_may_write_to_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    assert shared_folders.is_private(ours)
    ours.chmod(0o777)
    assert not shared_folders.is_private(ours)
    link = tmp_path / "link"
    link.symlink_to("/usr")
    assert not shared_folders.is_private(link)
    monkeypatch.setattr(shared_folders, "is_private", lambda folder: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="other users may write to it"):
        shared_folders.cache_folder()


def test_a_folder_without_executable_programs_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class NoPrograms:
        f_flag = os.ST_NOEXEC

    monkeypatch.setattr(os, "statvfs", lambda path: NoPrograms)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="noexec"):
        shared_folders.cache_folder()
