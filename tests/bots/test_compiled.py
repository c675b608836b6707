"""Which engine a program takes, and how a checkout comes by a compiled one."""

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
    """A small project whose engine is one file, and a cache of its own."""
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


def compiling(made: list[Path]) -> Callable[[Path], None]:
    """What puts a marked copy of the engine into a folder, and notes into which."""

    def compile_engine(folder: Path) -> None:
        made.append(folder)
        shutil.copytree(compiled.ROOT / "engine", folder / "engine")
        (folder / "built").touch()

    return compile_engine


def run(checkout: Path, **more: str) -> list[str]:
    """What a program of the checkout says of its engine."""
    environ = {key: os.environ[key] for key in os.environ if key != "CARDROOM_COMPILE"} | more
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=checkout,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip().split("|")


def copies(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def test_it_is_compiled_once_however_many_ask(checkout: Path) -> None:
    made: list[Path] = []
    with ThreadPoolExecutor(4) as pool:
        folders = {*pool.map(lambda _: compiled.get_or_compile(compiling(made)), range(8))}
    assert len(made) == 1
    (folder,) = folders
    assert (folder / "built").exists()
    assert folder.name == compiled.key(checkout / "engine") == compiled.key(folder / "engine")


def test_other_checkouts_of_the_same_sources_find_it(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    first = compiled.get_or_compile(compiling(made))
    other = use_checkout(tmp_path / "two", monkeypatch)
    second = compiled.get_or_compile(compiling(made))
    assert (len(made), first.name, second.parent) == (1, second.name, other / "build" / "compiled")
    assert (second / "built").exists()
    (other / "engine" / "match.py").write_text("FROM = 'another edit'\n")
    compiled.get_or_compile(compiling(made))
    assert len(made) == 2


def test_where_nothing_can_be_kept_it_is_compiled_all_the_same(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    assert (compiled.get_or_compile(compiling([])) / "built").exists()


def test_an_edit_of_sources_or_recipe_makes_another(checkout: Path) -> None:
    names = {compiled.key(checkout / "engine")}
    for path in (checkout / "engine" / "match.py", checkout / "hatch_build.py"):
        path.write_text(path.read_text() + "# edited\n")
        names.add(compiled.key(checkout / "engine"))
    (checkout / "engine" / "match.py").rename(checkout / "engine" / "other.py")
    names.add(compiled.key(checkout / "engine"))
    assert len(names) == 4


@pytest.mark.parametrize("edited", ["engine/match.py", "hatch_build.py"])
def test_what_was_edited_meanwhile_is_not_taken_for_what_was_compiled(
    checkout: Path, edited: str
) -> None:
    def compile_engine(folder: Path) -> None:
        shutil.copytree(checkout / "engine", folder / "engine")
        (checkout / edited).write_text("FROM = 'later'\n")

    compiled.get_or_compile(compile_engine)
    assert not (compiled.HOME / compiled.key(checkout / "engine")).exists()


def test_old_copies_go_but_the_newest_and_those_of_a_month(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "cardroom" / "compiled"
    (compiled.HOME / "building-by-one-that-was-killed").mkdir(parents=True)
    names = []
    for number in range(6):
        (checkout / "engine" / "match.py").write_text(f"FROM = {number}\n")
        names.append(compiled.get_or_compile(compiling([])).name)
        if number:
            for home in (compiled.HOME, cache):
                os.utime(home / names[-1], (number, number))
    expected = sorted([names[0], *names[-compiled.KEPT_COPIES + 1 :]])
    assert [path.name for path in copies(compiled.HOME)] == expected
    assert [path.name for path in copies(cache)] == expected


def test_a_failure_is_passed_on_and_leaves_nothing(checkout: Path) -> None:
    def compile_engine(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError("no space left")

    with pytest.raises(RuntimeError, match="no space left"):
        compiled.get_or_compile(compile_engine)
    assert copies(compiled.HOME) == []
    compiled.get_or_compile(compiling([]))


def test_a_program_takes_the_copy_that_fits_whatever_stands_before_it_in_the_path(
    checkout: Path,
) -> None:
    folder = compiled.get_or_compile(compiling([]))
    (folder / "engine" / "match.py").write_text("FROM = 'the copy'\n")
    assert run(checkout)[0] == "the copy"
    assert run(checkout, CARDROOM_COMPILE="0") == ["sources", "interpreted (CARDROOM_COMPILE=0)"]
    (checkout / "engine" / "match.py").write_text("FROM = 'another edit'\n")
    said, kind = run(checkout)
    assert (said, "hatch_build.py" in kind) == ("another edit", True)


def test_a_copy_that_cannot_be_loaded_is_named_and_the_sources_serve(checkout: Path) -> None:
    folder = compiled.get_or_compile(compiling([]))
    (folder / "engine" / "__init__.py").write_text("import engine.other\n")
    (folder / "engine" / "other.py").write_text("import no_such_library\n")
    said, kind = run(checkout)
    assert said == "sources"
    assert f"{folder} cannot be used" in kind
    assert "no_such_library" in kind


def test_a_program_begins_nothing(checkout: Path) -> None:
    (checkout / "hatch_build.py").write_text("open('begun', 'w')\n")
    assert run(checkout)[0] == "sources"
    assert {path.name for path in checkout.iterdir()} == {"engine", "platform", "hatch_build.py"}


def test_services_with_users_of_their_own_can_read_it(checkout: Path) -> None:
    folder = compiled.get_or_compile(compiling([]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_an_installation_without_a_checkout_takes_what_it_has(checkout: Path) -> None:
    (checkout / "hatch_build.py").unlink()
    assert run(checkout) == [
        "sources",
        "interpreted (this installation came without compiled rules)",
    ]
