"""Machines that cannot isolate bots: the missing part and the command that installs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
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
    pipe_numbers,
    process,
    rootfs,
    seccomp,
)
from bots.sandbox.bot_process import BotProcess
from tests.bots.sandbox.conftest import protect_memory
from tests.breakable_bubblewrap import breakable_bubblewrap

SLEEPER = Program({"bot": b"#!/bin/sh\nread line\n"}, ("./bot",))


@pytest.fixture(autouse=True)
def no_cached_results() -> Iterator[None]:
    """Clear cached results before and after each test."""
    results = dict(isolation._results)
    isolation._results.clear()
    yield
    isolation._results.clear()
    isolation._results.update(results)


@pytest.mark.sandbox
def test_full_isolation_names_its_layers() -> None:
    result = detect()
    assert result.level == "full"
    assert any("seccomp" in layer for layer in result.layers)
    assert all(layer in result.reason for layer in result.layers)
    assert detect() is result


@pytest.mark.sandbox
def test_the_layer_that_limits_memory_is_named() -> None:
    grouped = cgroup.parent_group() is not None
    expected = isolation.MEMORY_BY_GROUP if grouped else isolation.MEMORY_BY_WATCH
    assert detect().memory == expected
    assert any(expected in layer for layer in detect().layers)


@pytest.mark.sandbox
@pytest.mark.parametrize("watch_kills_it", [False, True])
def test_without_a_memory_limit_isolation_is_off(
    monkeypatch: pytest.MonkeyPatch, watch_kills_it: bool
) -> None:
    """A control group is missing, and so are the limits that Python respects.

    On a slow machine the referee's watch may see the memory of the test bot in time.
    """
    rlimits = process._rlimits
    send = BotProcess.send

    def without_space(*arguments: Any) -> dict[str, int]:
        return {
            name: value for name, value in rlimits(*arguments).items() if name not in {"AS", "DATA"}
        }

    def send_and_watch(seat: BotProcess, line: bytes) -> None:
        send(seat, line)
        if b'"mib"' in line and watch_kills_it:
            monkeypatch.setattr(seat, "_limits", replace(seat._limits, memory_mib=-1000))
            assert not seat.enforce_memory_limit()

    monkeypatch.setattr(process, "_rlimits", without_space)
    monkeypatch.setattr(cgroup, "parent_group", lambda: None)
    monkeypatch.setattr(BotProcess, "send", send_and_watch)
    result = detect()
    assert (result.level, result.memory, result.layers) == (
        "none",
        "",
        (),
    )
    assert "a test bot limited to 32 MiB could use" in result.reason


def show_files_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the root in its build folder, which is on no tmpfs."""
    python = interpreter.running()
    root_files, image_files = rootfs.ensure_root(python, "python"), image.ensure_image(python)
    if lookups._UNCACHED & {file_system_of(root_files), file_system_of(image_files)}:
        pytest.skip("the sandbox's files are built on a tmpfs here")

    def view(_: seccomp.Runtime) -> Iterator[str]:
        yield from ("--ro-bind", str(root_files), "/", "--ro-bind", str(image_files), rootfs.ENGINE)
        yield from ("--dev-bind", "/dev/null", "/dev/null")

    monkeypatch.setattr(bubblewrap, "_visible_files", view)


def file_system_of(folder: Path) -> str:
    """The type of a folder's file system."""
    process = subprocess.run(
        ["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


@pytest.mark.sandbox
@pytest.mark.parametrize("by_measurement", [False, True])
def test_isolation_is_off_if_the_kernel_remembers_absent_names(
    monkeypatch: pytest.MonkeyPatch,
    *,
    by_measurement: bool,
) -> None:
    """The mounts or the experiment with two bots suffice to show it."""
    show_files_on_disk(monkeypatch)
    if by_measurement:
        monkeypatch.setattr(lookups, "_caching_mount", lambda _: "")
    result = detect()
    assert (result.level, result.layers) == ("none", ())
    assert "a bot can find out which file names another has looked up" in result.reason
    assert ("(measured)" in result.reason) == by_measurement


@pytest.mark.sandbox
@pytest.mark.parametrize("warm", [0, 1])
def test_no_visible_file_system_remembers_absent_names(warm: int) -> None:
    with Sandbox(warm=warm) as sandbox:
        for program in (Program({"bot.py": b"import time; time.sleep(9)"}), SLEEPER):
            seat = sandbox.open(program, name="bot")
            assert lookups._caching_mount(seat._process.pid) == ""


NUMBERS_REVEAL = "a program can find out how many pipes other bots have created"


@pytest.mark.sandbox
def test_isolation_is_off_if_numbers_of_pipes_reveal_their_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    protect_memory(monkeypatch)
    result = detect()
    assert (result.level, result.layers) == ("none", ())
    assert NUMBERS_REVEAL in result.reason
    assert pipe_numbers.remedy() in result.reason


@pytest.mark.sandbox
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv"
)
def test_root_must_be_allowed_to_trace() -> None:
    command = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace", "--"]
    command += [sys.executable, "-c", "from bots.sandbox import detect; print(detect().reason)"]
    reason = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert NUMBERS_REVEAL in reason
    assert "grant it CAP_SYS_PTRACE" in reason


@pytest.mark.parametrize(
    ("scope", "user", "text"),
    [
        ("3", 0, "Set kernel.yama.ptrace_scope to 2 or less"),
        ("3", 1000, "Set kernel.yama.ptrace_scope to 2 or less"),
        ("2", 0, "as an ordinary user, or grant it CAP_SYS_PTRACE"),
        (None, 0, "as an ordinary user, or grant it CAP_SYS_PTRACE"),
        (None, 1000, "Allow the service to trace processes of its own user"),
    ],
)
def test_the_right_to_write_to_memory_can_be_granted(
    scope: str | None, user: int, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if scope is not None:
        (tmp_path / "scope").write_text(f"{scope}\n")
    monkeypatch.setattr(pipe_numbers, "_PTRACE_SCOPE", tmp_path / "scope")
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert text in pipe_numbers.remedy()


def group(folder: Path, controllers: str, processes: str) -> Path:
    folder.mkdir()
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.procs").write_text(processes)
    return folder


def test_an_unusable_control_group_is_explained(
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
    for group_setting, text in cases.items():
        monkeypatch.setenv("CARDROOM_CGROUP", str(group_setting))
        reason = isolation._why_group_is_unused()
        assert str(group_setting) in reason
        assert text in reason
    monkeypatch.setattr(cgroup, "parent_group", lambda: tmp_path)
    assert isolation._why_group_is_unused() == ""
    monkeypatch.delenv("CARDROOM_CGROUP")
    assert isolation._why_group_is_unused() == ""


def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = detect()
    assert (result.level, result.layers) == ("none", ())
    assert "bubblewrap is not installed" in result.reason
    assert "install" in result.reason.split("bubblewrap is not installed")[1]
    with pytest.raises(SandboxUnavailable, match="bubblewrap is not installed"):
        Sandbox()
    with Sandbox(trusted=True) as sandbox:
        assert sandbox.isolation.level == "none"
        assert "without isolation" in sandbox.isolation.reason


def test_the_systems_installer_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
    result = detect()
    assert result.level == "none"
    assert "setting up uid map: Permission denied" in result.reason
    assert result.reason.endswith(command)


def test_messages_of_bubblewrap_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as place:  # other users cannot read pytest's folders
        Path(place).chmod(0o755)
        fake_bubblewrap(Path(place), "0.9.0", "No space on the moon")
        monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
        assert "No space on the moon" in detect().reason


@pytest.mark.sandbox
def test_isolation_is_detected_again_after_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with breakable_bubblewrap() as bubblewrap:
        monkeypatch.setenv("PATH", bubblewrap.path)
        bubblewrap.set_state("broken")
        assert "No space left on device" in detect().reason
        bubblewrap.set_state("working")
        assert detect().level == "none"  # the result is cached for a minute
        monkeypatch.setattr(isolation, "RETRY_SECONDS", 0.0)
        assert detect().level == "full"
        bubblewrap.set_state("broken")
        assert detect().level == "full"
        assert detect(again=True).level == "none"


def test_a_read_only_proc_is_explained() -> None:
    message = "bwrap: cannot open /proc/sys/user/max_user_namespaces: Read-only file system"
    assert "remove ProtectKernelTunables=" in isolation._remedy(message)


def test_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "needs Linux" in detect().reason
    monkeypatch.setattr(sys, "platform", "linux")
    isolation._results.clear()
    monkeypatch.setattr(seccomp, "supported", lambda: False)
    assert "x86_64 or aarch64" in detect().reason
