"""The engine that a program uses, and compiled copies of a checkout."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cardroom_base.core import compiled

PROGRAM = """
import sys
sys.path.insert(0, "platform")
from cardroom_base.core import compiled
compiled.use()
sys.path.insert(0, "")  # as Celery and others do
from engine import match
print(match.FROM, compiled.kind(), sep="|")
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project with a one-file engine and its own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return use_checkout(tmp_path / "one", monkeypatch)


def use_checkout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    engine, base = folder / "engine", folder / "platform" / "cardroom_base"
    core = base / "core"
    for package in (engine, base, core):
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
    (engine / "match.py").write_text("FROM = 'sources'\n")
    (folder / "hatch_build.py").write_text("raise SystemExit('nobody asked for it')\n")
    shutil.copy(compiled.__file__, core)
    monkeypatch.setattr(compiled, "ROOT", folder)
    monkeypatch.setattr(compiled, "RECIPE", folder / "hatch_build.py")
    monkeypatch.setattr(compiled, "HOME", folder / "build" / "compiled")
    return folder


def recording_compiler(folders: list[Path]) -> Callable[[Path], None]:
    """A compiler that copies the engine into a folder, with a mark, and records the folder."""

    def compile_engine(folder: Path) -> None:
        folders.append(folder)
        shutil.copytree(compiled.ROOT / "engine", folder / "engine")
        (folder / "built").touch()

    return compile_engine


def run(checkout: Path, **variables: str) -> list[str]:
    """The origin and kind of the engine in a program of the checkout."""
    environ = {key: os.environ[key] for key in os.environ if key != "CARDROOM_COMPILE"} | variables
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=checkout,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return process.stdout.strip().split("|")


def copies(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def test_simultaneous_requests_compile_once(checkout: Path) -> None:
    targets: list[Path] = []
    with ThreadPoolExecutor(4) as pool:
        folders = {
            *pool.map(lambda _: compiled.get_or_compile(recording_compiler(targets)), range(8))
        }
    assert len(targets) == 1
    (folder,) = folders
    assert (folder / "built").exists()
    assert folder.name == compiled.key(checkout / "engine") == compiled.key(folder / "engine")


def test_checkouts_with_the_same_sources_share_a_copy(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []
    first = compiled.get_or_compile(recording_compiler(folders))
    other = use_checkout(tmp_path / "two", monkeypatch)
    second = compiled.get_or_compile(recording_compiler(folders))
    assert (len(folders), first.name, second.parent) == (
        1,
        second.name,
        other / "build" / "compiled",
    )
    assert (second / "built").exists()
    (other / "engine" / "match.py").write_text("FROM = 'another edit'\n")
    compiled.get_or_compile(recording_compiler(folders))
    assert len(folders) == 2


def test_without_a_cache_the_engine_is_compiled_nevertheless(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    assert (compiled.get_or_compile(recording_compiler([])) / "built").exists()


def test_edits_of_sources_or_recipe_need_another_copy(checkout: Path) -> None:
    names = {compiled.key(checkout / "engine")}
    for path in (checkout / "engine" / "match.py", checkout / "hatch_build.py"):
        path.write_text(path.read_text() + "# edited\n")
        names.add(compiled.key(checkout / "engine"))
    (checkout / "engine" / "match.py").rename(checkout / "engine" / "other.py")
    names.add(compiled.key(checkout / "engine"))
    assert len(names) == 4


@pytest.mark.parametrize("edited", ["engine/match.py", "hatch_build.py"])
def test_edits_during_compilation_invalidate_the_copy(checkout: Path, edited: str) -> None:
    def compile_engine(folder: Path) -> None:
        shutil.copytree(checkout / "engine", folder / "engine")
        (checkout / edited).write_text("FROM = 'later'\n")

    compiled.get_or_compile(compile_engine)
    assert not (compiled.HOME / compiled.key(checkout / "engine")).exists()


def test_old_copies_are_deleted_except_the_newest(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "cardroom" / "compiled"
    (compiled.HOME / "building-by-one-that-was-killed").mkdir(parents=True)
    names = []
    for number in range(6):
        (checkout / "engine" / "match.py").write_text(f"FROM = {number}\n")
        names.append(compiled.get_or_compile(recording_compiler([])).name)
        if number:
            for folder in (compiled.HOME, cache):
                os.utime(folder / names[-1], (number, number))
    expected = sorted([names[0], *names[-compiled.KEPT_COPIES + 1 :]])
    assert [path.name for path in copies(compiled.HOME)] == expected
    assert [path.name for path in copies(cache)] == expected


def test_a_failed_compilation_raises_and_leaves_nothing(checkout: Path) -> None:
    def compile_engine(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError("no space left")

    with pytest.raises(RuntimeError, match="no space left"):
        compiled.get_or_compile(compile_engine)
    assert copies(compiled.HOME) == []
    compiled.get_or_compile(recording_compiler([]))


def test_a_program_uses_the_matching_copy_despite_its_path(
    checkout: Path,
) -> None:
    folder = compiled.get_or_compile(recording_compiler([]))
    (folder / "engine" / "match.py").write_text("FROM = 'the copy'\n")
    assert run(checkout)[0] == "the copy"
    assert run(checkout, CARDROOM_COMPILE="0") == ["sources", "interpreted (CARDROOM_COMPILE=0)"]
    (checkout / "engine" / "match.py").write_text("FROM = 'another edit'\n")
    origin, kind = run(checkout)
    assert (origin, "hatch_build.py" in kind) == ("another edit", True)


def test_a_broken_copy_is_named_and_the_sources_are_used(checkout: Path) -> None:
    folder = compiled.get_or_compile(recording_compiler([]))
    (folder / "engine" / "__init__.py").write_text("import engine.other\n")
    (folder / "engine" / "other.py").write_text("import no_such_library\n")
    origin, kind = run(checkout)
    assert origin == "sources"
    assert f"{folder} cannot be used" in kind
    assert "no_such_library" in kind


def test_a_program_does_not_compile(checkout: Path) -> None:
    (checkout / "hatch_build.py").write_text("open('begun', 'w')\n")
    assert run(checkout)[0] == "sources"
    assert {path.name for path in checkout.iterdir()} == {"engine", "platform", "hatch_build.py"}


def test_other_users_can_read_the_copy(checkout: Path) -> None:
    folder = compiled.get_or_compile(recording_compiler([]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_an_installation_without_a_checkout_uses_its_engine(checkout: Path) -> None:
    (checkout / "hatch_build.py").unlink()
    assert run(checkout) == [
        "sources",
        "interpreted (this installation came without compiled rules)",
    ]
