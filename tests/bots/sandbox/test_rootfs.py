"""The files that a bot sees: only those on a list."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
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
    cleanup,
    interpreter,
    isolation,
    rootfs,
    shared_folders,
)
from tests.bots.sandbox.conftest import START

pytestmark = pytest.mark.sandbox

LIBRARY = interpreter.running().library.name
# Paths that a Python bot may see, by kind: d(irectory), f(ile), l(ink), c(haracter device).
PYTHON_PATHS = (
    r"d /(cardroom|dev|tmp|usr|usr/bin|usr/lib|usr/lib/locale|tmp/bot)?",
    r"l /(bin|lib|lib64|usr/lib64)",
    r"c /dev/null",
    r"f /tmp/bot/bot\.py",
    r"f /usr/bin/python3",
    r"f /usr/lib/(lib[a-z0-9_+-]+|ld-[a-z0-9_-]+)(\.[a-zA-Z0-9_-]+)*\.so(\.\d+)*",
    r"[df] /usr/lib/locale/C\.utf8(/[A-Z_]+)*",
    rf"d /usr/lib/{re.escape(LIBRARY)}(/[a-z_]+\w*|/lib-dynload)*",
    rf"f /usr/lib/{re.escape(LIBRARY)}/([\w-]+/)*[\w.-]+\.(py|pyc|so)",
    r"d /cardroom/\w+(/\w+)*",
    r"[df] /cardroom/cardroom_games-1\.dist-info(/METADATA|/entry_points\.txt)?",
    r"f /cardroom/(\w+/)*[\w.-]+\.(py|pyc|so)",
)
COMMAND_PATHS = (
    *PYTHON_PATHS,
    r"c /dev/urandom",
    r"f /usr/bin/(sh|env|node)",
    r"[df] /usr/share(/nodejs(/[\w.@-]+)*)?",
)
# Walks all reachable paths, then reports other facts about its environment.
REPORTER = """
import json, os, stat, sys, time

KINDS = {stat.S_IFDIR: "d", stat.S_IFREG: "f", stat.S_IFLNK: "l", stat.S_IFCHR: "c"}

def walk(folder):
    for name in sorted(os.listdir(folder or "/")):
        path = folder + "/" + name
        status = os.lstat(path)
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "?")
        yield [kind, path, status.st_mode & 0o7777, status.st_mtime, status.st_uid, status.st_gid]
        if kind == "d":
            yield from walk(path)

def told():
    return {
        "all": list(walk("")),
        "top": os.stat("/").st_mtime,
        "above": os.stat("/..").st_ino == os.stat("/").st_ino,
        "environment": dict(os.environ),
        "user": [os.getuid(), os.getgid(), os.getgroups()],
        "processes": [os.getpid(), os.getppid()],
        "host": os.uname().nodename,
        "zone": [time.tzname, time.timezone],
        "path": [entry for entry in sys.path if entry],
        "prefix": [sys.prefix, sys.base_exec_prefix, sys.executable],
        "argv": sys.orig_argv[0],
    }

if __name__ == "__main__":
    print(json.dumps(told()))

def choose(view, legal):
    global text
    if not view:
        text = json.dumps(told())
    at = view.get("at", 0)
    return text[at:at + 50_000]
"""


def read_report(seat: Any) -> dict[str, Any]:
    """The bot's report, read by moves, because an answer has at most 64 KiB."""
    seat.send(START)
    seat.receive(10.0)
    text = ""
    while True:
        view = {"at": len(text)} if text else {}
        question = {"type": "move", "view": view, "legal": [], "events": []}
        seat.send(json.dumps(question).encode())
        part = json.loads(seat.receive(10.0))["move"]
        text += part
        if not part:
            report = json.loads(text)
            assert isinstance(report, dict)
            return report


@pytest.fixture(scope="module")
def python_bot(sandbox: Sandbox) -> dict[str, Any]:
    seat = sandbox.open(Program({"bot.py": REPORTER.encode()}), name="looker")
    return read_report(seat)


@pytest.fixture(scope="module")
def command_bot() -> dict[str, Any]:
    """The report of the same source as a program started by `sh`, with a higher limit for lines."""
    with Sandbox(replace(Sandbox().limits, line_bytes=1 << 22)) as sandbox:
        program = Program({"bot.py": REPORTER.encode()}, ("sh", "-c", "exec python3 bot.py"))
        report = json.loads(sandbox.open(program, name="looker").receive(20.0))
    assert isinstance(report, dict)
    return report


@pytest.fixture(params=["python", "command"])
def report(request: pytest.FixtureRequest) -> dict[str, Any]:
    report: dict[str, Any] = request.getfixturevalue(f"{request.param}_bot")
    return report


def unknown(report: dict[str, Any], allowed: tuple[str, ...]) -> list[str]:
    entries = [f"{kind} {path}" for kind, path, *_ in report["all"]]
    return [entry for entry in entries if not any(re.fullmatch(rule, entry) for rule in allowed)]


def test_a_python_bot_sees_only_listed_paths(python_bot: dict[str, Any]) -> None:
    assert unknown(python_bot, PYTHON_PATHS) == []
    assert len(python_bot["all"]) > 500  # so it did search


def test_a_program_sees_only_listed_paths(command_bot: dict[str, Any]) -> None:
    assert unknown(command_bot, COMMAND_PATHS) == []
    names = {path for _, path, *_ in command_bot["all"]}
    assert {"/usr/bin/sh", "/usr/bin/env"} <= names
    if shutil.which("node"):
        assert "/usr/bin/node" in names


def test_the_machines_own_root_is_not_on_the_list() -> None:
    """The list would reject the machine's own root."""
    folders = ("usr/bin", "usr/share", "etc", "usr/include", "usr/sbin")
    report = {
        "all": [
            ["f", f"/{folder}/{name}"] for folder in folders for name in _some(Path("/", folder))
        ]
    }
    assert len(unknown(report, COMMAND_PATHS)) > 0.9 * len(report["all"]) > 10


def _some(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()][:200] if folder.is_dir() else []


def test_files_have_no_owner_and_no_date(report: dict[str, Any]) -> None:
    """Except for /tmp, which is the bot's own, and devices of the kernel."""
    entries = [entry for entry in report["all"] if not entry[1].startswith(("/tmp", "/dev/"))]
    assert {time for _, _, _, time, *_ in entries} == {report["top"]} == {shared_folders._FILE_TIME}
    assert {mode for _, _, mode, *_ in entries} <= {0o755, 0o644, 0o777}
    owners = {(uid, gid) for *_, uid, gid in report["all"]}
    assert owners <= {(1000, 1000), (65534, 65534)}


def test_the_root_has_no_other_information(report: dict[str, Any]) -> None:
    assert report["environment"].items() <= (bubblewrap.ENVIRONMENT | {
        "PWD": report["environment"]["PWD"], "LC_CTYPE": "C.UTF-8", "OLDPWD": "/tmp"
    }).items()  # fmt: skip
    assert report["user"][:2] == [1000, 1000]
    assert set(report["user"][2]) <= {1000, 65534}
    assert report["processes"] == [1, 0]
    assert report["host"] == "seat"
    assert report["zone"] == [["UTC", "UTC"], 0]
    assert report["above"]
    assert report["prefix"] == ["/usr", "/usr", rootfs.PYTHON]
    assert all(path.startswith(("/usr/lib/", "/cardroom", "/tmp/bot")) for path in report["path"])


def test_no_file_of_the_root_contains_its_origin() -> None:
    """This holds for texts and compiled files, but not for the interpreter itself."""
    python = interpreter.running()
    home_path = str(Path.home()).encode()
    for path in rootfs.ensure_root(python, "python").rglob("*.py*"):
        content = path.read_bytes()
        assert len(home_path) < 4 or home_path not in content, path
        assert str(shared_folders.cache_folder()).encode() not in content, path


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setattr(shared_folders, "cache_folder", lambda: tmp_path)
    yield tmp_path
    for folder in [folder for folder in cleanup._locks if tmp_path in folder.parents]:
        os.close(cleanup._locks.pop(folder))


def test_an_interpreter_with_a_zipped_library_is_refused(empty_cache: Path) -> None:
    python = replace(interpreter.running(), library=Path("/nowhere/python311.zip"))
    with pytest.raises(
        SandboxUnavailable, match=r"/nowhere/python311.zip.*library consists of files"
    ):
        rootfs.ensure_root.__wrapped__(python, "python")


def test_an_embedded_interpreter_is_refused(empty_cache: Path) -> None:
    script = empty_cache / "python3"
    script.write_text("#!/bin/sh\nexec /usr/bin/python3\n")
    python = replace(interpreter.running(), path=script)
    with pytest.raises(SandboxUnavailable, match="not a 64-bit program"):
        rootfs.ensure_root.__wrapped__(python, "python")


def test_missing_files_are_named(empty_cache: Path) -> None:
    python = replace(interpreter.running(), path=Path("/nowhere/python3"))
    with pytest.raises(SandboxUnavailable, match=r"No such file.*/nowhere/python3"):
        rootfs.ensure_root.__wrapped__(python, "python")


def test_without_a_root_isolation_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Path:
        raise SandboxUnavailable("No space left.")

    monkeypatch.setattr(rootfs, "ensure_root", fail)
    result = isolation._detect()
    assert (result.level, result.reason) == (
        "none",
        "Bots cannot be isolated: No space left.",
    )


def test_static_programs_load_nothing(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path / "still"
    command = [compiler, "-static", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, input=b"int main(void) { return 0; }", check=True)
    assert rootfs._loaded_libraries(program) == {}
    assert rootfs._is_program(program)


def test_libraries_are_named_by_the_programs_own_loader() -> None:
    program = Path("/bin/sh").resolve()
    libraries = rootfs._loaded_libraries(program)
    loader = rootfs._loader(program)
    if loader is None:
        pytest.skip("the shell of this system is linked statically")
    assert libraries[f"usr/lib/{loader.name}"] == loader
    assert any(name.startswith("usr/lib/libc.") for name in libraries)
    assert rootfs._loaded_libraries(program, ["libmissing.so.7"]) == libraries
    assert rootfs._path_in_root(Path("/nix/store/x/ld.so")) == "nix/store/x/ld.so"
    assert (
        rootfs._path_in_root(Path("/lib64/ld.so"))
        == rootfs._path_in_root(Path("ld.so"))
        == "usr/lib/ld.so"
    )


def test_a_virtual_environment_resolves_to_its_interpreter() -> None:
    python = interpreter.running()
    assert python.path.is_file()
    assert not python.path.is_relative_to(sys.prefix) or sys.prefix == sys.base_prefix
    assert (python.library / "os.py").is_file()
    assert python.number == ".".join(map(str, sys.version_info[:3]))
