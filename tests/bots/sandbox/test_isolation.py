"""What is said where bots cannot be isolated: what is missing, and the one command."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.sandbox import (
    Program,
    Sandbox,
    SandboxUnavailable,
    bubblewrap,
    cgroup,
    detect,
    image,
    interpreter,
    isolation,
    lookups,
    process,
    root,
    seccomp,
)
from tests.breakable_bubblewrap import breakable_bubblewrap

SLEEPS = Program({"bot": b"#!/bin/sh\nread line\n"}, ("./bot",))


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Each test detects afresh, and leaves nothing detected behind."""
    kept = dict(isolation._results)
    isolation._results.clear()
    yield
    isolation._results.clear()
    isolation._results.update(kept)


@pytest.mark.sandbox
def test_full_isolation_names_its_layers() -> None:
    found = detect()
    assert found.level == "full"
    assert any("seccomp" in layer for layer in found.layers)
    assert all(layer in found.reason for layer in found.layers)
    assert detect() is found


@pytest.mark.sandbox
def test_the_wall_around_memory_is_named() -> None:
    grouped = cgroup.parent_group() is not None
    expected = isolation.MEMORY_BY_GROUP if grouped else isolation.MEMORY_BY_WATCH
    assert detect().memory == expected
    assert any(expected in layer for layer in detect().layers)


@pytest.mark.sandbox
def test_without_a_wall_around_memory_nobody_is_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a control group, nor limits of address space and data, which for Python hold."""
    rlimits = process._rlimits

    def without_space(*arguments: Any) -> dict[str, int]:
        return {
            name: value for name, value in rlimits(*arguments).items() if name not in {"AS", "DATA"}
        }

    monkeypatch.setattr(process, "_rlimits", without_space)
    monkeypatch.setattr(cgroup, "parent_group", lambda: None)
    found = detect()
    assert (found.level, found.memory, found.layers) == ("none", "", ())
    assert "a test bot limited to 32 MiB could use" in found.reason


def show_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The root comes from where it is built, on a file system that is no tmpfs."""
    python = interpreter.running()
    seen, shown = root.ensure_root(python, "python"), image.ensure_image(python)
    if lookups._UNCACHED & {kind(seen), kind(shown)}:
        pytest.skip("the sandbox's files are built on a tmpfs here")

    def view(_: seccomp.Runtime) -> Iterator[str]:
        yield from ("--ro-bind", str(seen), "/", "--ro-bind", str(shown), root.ENGINE)
        yield from ("--dev-bind", "/dev/null", "/dev/null")

    monkeypatch.setattr(bubblewrap, "_visible_files", view)


def kind(folder: Path) -> str:
    """Of the file system that a folder lies on."""
    said = subprocess.run(
        ["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True, check=True
    )
    return said.stdout.strip()


@pytest.mark.sandbox
@pytest.mark.parametrize("by_measurement", [False, True])
def test_where_names_are_remembered_nobody_is_isolated(
    monkeypatch: pytest.MonkeyPatch,
    *,
    by_measurement: bool,
) -> None:
    """Either is enough: what the mounts say, and what two bots find."""
    show_the_disk(monkeypatch)
    if by_measurement:
        monkeypatch.setattr(lookups, "_caching_mount", lambda _: "")
    found = detect()
    assert (found.level, found.layers) == ("none", ())
    assert "a bot can find out which file names another has looked up" in found.reason
    assert ("(measured)" in found.reason) == by_measurement


@pytest.mark.sandbox
@pytest.mark.parametrize("warm", [0, 1])
def test_all_that_a_bot_can_name_forgets(warm: int) -> None:
    with Sandbox(warm=warm) as sandbox:
        for program in (Program({"bot.py": b"import time; time.sleep(9)"}), SLEEPS):
            seat = sandbox.open(program, name="bot")
            assert lookups._caching_mount(seat._process.pid) == ""


def group(folder: Path, controllers: str, processes: str) -> Path:
    folder.mkdir()
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.procs").write_text(processes)
    return folder


def test_a_group_asked_for_in_vain_names_what_mends_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cgroup, "parent_group", lambda: None)
    cases = {
        tmp_path / "missing": "not a control group of version 2. To fix it: sudo mkdir",
        group(
            tmp_path / "without", "cpu pids\n", ""
        ): f"sudo tee {tmp_path}/cgroup.subtree_control",
        group(tmp_path / "busy", "memory pids\n", "17\n"): "busy/worker/cgroup.procs",
        group(tmp_path / "closed", "memory pids\n", ""): "sudo chown -R $(id -u)",
    }
    for chosen, words in cases.items():
        monkeypatch.setenv("CARDROOM_CGROUP", str(chosen))
        said = isolation._why_group_is_unused()
        assert str(chosen) in said
        assert words in said
    monkeypatch.setattr(cgroup, "parent_group", lambda: tmp_path)
    assert isolation._why_group_is_unused() == ""
    monkeypatch.delenv("CARDROOM_CGROUP")
    assert isolation._why_group_is_unused() == ""


def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = detect()
    assert (found.level, found.layers) == ("none", ())
    assert "bubblewrap is not installed" in found.reason
    assert "install" in found.reason.split("bubblewrap is not installed")[1]
    with pytest.raises(SandboxUnavailable, match="bubblewrap is not installed"):
        Sandbox()
    with Sandbox(trusted=True) as sandbox:
        assert sandbox.isolation.level == "none"
        assert "without isolation" in sandbox.isolation.reason


def test_installer_of_the_system_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(isolation, "_SYSTEM_PATH", "")
    tool = tmp_path / "dnf"
    tool.write_text("")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "sudo dnf install bubblewrap" in detect().reason


def fake_bubblewrap(folder: Path, version: str, complaint: str) -> None:
    script = folder / "bwrap"
    script.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap {version}" && exit\n'
        f'echo "bwrap: {complaint}" >&2\nexit 1\n'
    )
    script.chmod(0o755)


def test_old_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_bubblewrap(tmp_path, "0.4.1", "unknown option")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "bubblewrap 0.4 is too old" in detect().reason
    assert "0.8" in detect().reason


@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
    ],
)
def test_forbidden_namespaces_name_the_setting(
    setting: str, value: str, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise SandboxUnavailable("bwrap: setting up uid map: Permission denied")

    (tmp_path / setting).parent.mkdir(parents=True)
    (tmp_path / setting).write_text(value + "\n")
    monkeypatch.setattr(isolation, "_PROC_SYS", tmp_path)
    monkeypatch.setattr(isolation, "_bubblewrap_version", lambda: (0, 8))
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "/usr/bin/bwrap")
    monkeypatch.setattr(process, "start", refuse)
    found = detect()
    assert found.level == "none"
    assert "setting up uid map: Permission denied" in found.reason
    assert found.reason.endswith(command)


def test_bubblewraps_own_words_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are closed to other users
        Path(place).chmod(0o755)
        fake_bubblewrap(Path(place), "0.9.0", "No space on the moon")
        monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
        assert "No space on the moon" in detect().reason


@pytest.mark.sandbox
def test_what_is_mended_or_breaks_is_found_when_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with breakable_bubblewrap() as own:
        monkeypatch.setenv("PATH", own.path)
        own.set_state("broken")
        assert "No space left on device" in detect().reason
        own.set_state("working")
        assert detect().level == "none"  # for a minute
        monkeypatch.setattr(isolation, "RETRY_SECONDS", 0.0)
        assert detect().level == "full"
        own.set_state("broken")
        assert detect().level == "full"
        assert detect(again=True).level == "none"


def test_a_closed_proc_names_who_closes_it() -> None:
    said = "bwrap: cannot open /proc/sys/user/max_user_namespaces: Read-only file system"
    assert "remove ProtectKernelTunables=" in isolation._remedy(said)


def test_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "needs Linux" in detect().reason
    monkeypatch.setattr(sys, "platform", "linux")
    isolation._results.clear()
    monkeypatch.setattr(seccomp, "supported", lambda: False)
    assert "x86_64 or aarch64" in detect().reason
