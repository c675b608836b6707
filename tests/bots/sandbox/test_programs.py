"""The programs that start sandboxes are found once, and again where they have gone."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from bots.sandbox import process, programs


def program(folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "bwrap"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_place_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = program(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.find("bwrap") == place
    monkeypatch.setattr(shutil, "which", lambda _: pytest.fail("searched for again"))
    assert programs.find("bwrap") == place


def test_what_goes_or_comes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setenv("PATH", f"{first}:{second}")
    assert programs.find("bwrap") is None
    later = program(second)
    assert programs.find("bwrap") == later
    monkeypatch.setenv("PATH", str(first))
    assert programs.find("bwrap") is None
    monkeypatch.setenv("PATH", f"{first}:{second}")
    Path(later).chmod(0o644)
    sooner = program(first)
    Path(later).unlink()
    assert programs.find("bwrap") == sooner


def test_an_end_is_waited_for_without_looking_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wait4 = os.wait4
    looks: list[int] = []

    def look(pid: int, options: int) -> object:
        looks.append(pid)
        return wait4(pid, options)

    monkeypatch.setattr(os, "wait4", look)
    child = process.spawn(["/bin/sleep", "0.2"])
    ended = child.popen.ended(60_000)
    child.abandon()
    assert ended is not None
    assert ended[0] == 0
    assert len(looks) <= 2


def test_an_end_is_seen_where_no_descriptor_of_it_can_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: int) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    child = process.spawn(["/bin/sleep", "0.1"])
    monkeypatch.setattr(os, "pidfd_open", refuse)
    ended = child.popen.ended(60_000)
    child.abandon()
    assert ended is not None
    assert ended[0] == 0
