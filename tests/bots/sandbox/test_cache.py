"""Folders shown to bots: out of others' reach, telling nothing, rebuilt when damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.sandbox import SandboxUnavailable, cache, cleanup

FILES = {"here": 3, "inner/there": None}


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    return tmp_path


def fill(tree: Path) -> None:
    (tree / "here").write_text("one")
    (tree / "inner").mkdir(mode=0o700)
    (tree / "inner" / "there").write_text("two")
    (tree / "inner" / "there").chmod(0o4711)
    (tree / "link").symlink_to("inner")


def never(tree: Path) -> None:
    raise AssertionError("it is there already")


def forgotten(kept: Path) -> None:
    """As if the process that used it had ended."""
    os.close(cleanup._locks.pop(kept))


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_others_may_read_and_not_write(home: Path) -> None:
    old = os.umask(0o077)
    try:
        tree = cache.ensure("some", FILES, fill)
    finally:
        os.umask(old)
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (tree, *tree.rglob("*"))}
    assert modes == {"tree": 0o755, "here": 0o644, "inner": 0o755, "there": 0o755, "link": 0o755}
    assert tree.parent.stat().st_mode & 0o7777 == 0o755


def test_times_tell_nothing(home: Path) -> None:
    tree = cache.ensure("some", FILES, fill)
    cache.ensure("some", FILES, never)
    assert {path.lstat().st_mtime for path in (tree, *tree.rglob("*"))} == {cache._FILE_TIME}


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_missing_or_cut_files_are_mended(harm: Callable[[Path], object], home: Path) -> None:
    tree = cache.ensure("some", FILES, fill)
    harm(tree / "here")
    assert cache.ensure("some", FILES, fill) == tree
    assert (tree / "here").read_text() == "one"
    assert list(home.iterdir()) == [tree.parent]


def test_what_cannot_be_built_leaves_nothing(home: Path) -> None:
    def fail(tree: Path) -> None:
        (tree / "missing" / "file").write_text("")

    with pytest.raises(SandboxUnavailable, match="No such file"):
        cache.ensure("some", FILES, fail)
    assert list(home.iterdir()) == []


def test_long_unused_ones_go_unless_a_process_holds_them(home: Path) -> None:
    old, held = (cache.ensure(name, FILES, fill).parent for name in ("old", "held"))
    forgotten(old)
    for kept in (old, held):
        os.utime(kept, (0, 0))
    cache.ensure("new", FILES, fill)
    assert {path.name for path in home.iterdir()} == {"held", "new"}


def test_one_descriptor_for_each(home: Path) -> None:
    before = descriptors()
    for _ in range(3):
        kept = cache.ensure("some", FILES, fill).parent
    assert descriptors() == before + 1
    forgotten(kept)


def test_folder_that_others_may_write_to_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    assert cache.is_private(ours)
    ours.chmod(0o777)
    assert not cache.is_private(ours)
    link = tmp_path / "link"
    link.symlink_to("/usr")
    assert not cache.is_private(link)
    monkeypatch.setattr(cache, "is_private", lambda folder: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="other users may write to it"):
        cache.cache_folder()


def test_folder_whose_programs_may_not_start_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class NoPrograms:
        f_flag = os.ST_NOEXEC

    monkeypatch.setattr(os, "statvfs", lambda path: NoPrograms)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="noexec"):
        cache.cache_folder()
