"""Paths of the programs that start sandboxes are cached, and searched for again if removed."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from bots.sandbox import executables, process


def program(folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "bwrap"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_path_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = program(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert executables.find("bwrap") == place
    monkeypatch.setattr(shutil, "which", lambda _: pytest.fail("searched for again"))
    assert executables.find("bwrap") == place


def test_installed_and_removed_programs_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setenv("PATH", f"{first}:{second}")
    assert executables.find("bwrap") is None
    later = program(second)
    assert executables.find("bwrap") == later
    monkeypatch.setenv("PATH", str(first))
    assert executables.find("bwrap") is None
    monkeypatch.setenv("PATH", f"{first}:{second}")
    Path(later).chmod(0o644)
    sooner = program(first)
    Path(later).unlink()
    assert executables.find("bwrap") == sooner


def test_waiting_for_an_end_does_not_poll(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wait4 = os.wait4
    polls: list[int] = []

    def look(pid: int, options: int) -> object:
        polls.append(pid)
        return wait4(pid, options)

    monkeypatch.setattr(os, "wait4", look)
    child = process.spawn(["/bin/sleep", "0.2"])
    end = child.popen.ended(60_000)
    child.abandon()
    assert end is not None
    assert end[0] == 0
    assert len(polls) <= 2


def test_an_end_is_noticed_without_a_pidfd(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: int) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    child = process.spawn(["/bin/sleep", "0.1"])
    monkeypatch.setattr(os, "pidfd_open", refuse)
    end = child.popen.ended(60_000)
    child.abandon()
    assert end is not None
    assert end[0] == 0
