"""Which engine a program takes, and how a checkout comes by a compiled one."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bots import compiled

PROGRAM = """
from bots import compiled
compiled.use()
from engine import match
print(match.FROM, compiled.kind(), sep="|")
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project whose engine is one file."""
    engine, bots = tmp_path / "engine", tmp_path / "bots"
    engine.mkdir()
    bots.mkdir()
    for package in (engine, bots):
        (package / "__init__.py").touch()
    (engine / "match.py").write_text("FROM = 'sources'\n")
    (tmp_path / "hatch_build.py").write_text("import time\ntime.sleep(600)\n")
    shutil.copy(compiled.__file__, bots)
    monkeypatch.setattr(compiled, "ROOT", tmp_path)
    monkeypatch.setattr(compiled, "RECIPE", tmp_path / "hatch_build.py")
    monkeypatch.setattr(compiled, "HOME", tmp_path / "build" / "compiled")
    return tmp_path


def compiling(checkout: Path, made: list[Path]) -> Callable[[Path], None]:
    """What puts a marked copy of the engine into a folder, and notes into which."""

    def compile_engine(folder: Path) -> None:
        made.append(folder)
        shutil.copytree(checkout / "engine", folder / "engine")
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


def test_it_is_compiled_once_however_many_ask(checkout: Path) -> None:
    made: list[Path] = []
    with ThreadPoolExecutor(4) as pool:
        folders = {
            *pool.map(lambda _: compiled.make(compiling(checkout, made)), range(8)),
        }
    assert len(made) == 1
    (folder,) = folders
    assert (folder / "built").exists()
    assert folder.name == compiled.key(checkout / "engine") == compiled.key(folder / "engine")


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

    compiled.make(compile_engine)
    assert not (compiled.HOME / compiled.key(checkout / "engine")).exists()


def test_old_copies_go_unless_they_are_in_use(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    monkeypatch.setattr(compiled, "_held", held)
    (compiled.HOME / "building-by-one-that-was-killed").mkdir(parents=True)
    folders = []
    for number in range(6):
        (checkout / "engine" / "match.py").write_text(f"FROM = {number}\n")
        folders.append(compiled.make(compiling(checkout, [])))
        os.utime(folders[-1], (number, number))
        if number == 0:
            assert compiled._hold(folders[0])
    os.close(held.pop())
    left = [path for path in compiled.HOME.iterdir() if path.is_dir()]
    assert sorted(left) == sorted([folders[0], *folders[-compiled.KEPT :]])


def test_a_failure_is_noted_with_its_reason_and_not_repeated(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile_engine(folder: Path) -> None:
        shutil.copytree(checkout / "engine", folder / "engine")
        raise RuntimeError("no space left")

    with pytest.raises(RuntimeError):
        compiled.make(compile_engine)
    assert run(checkout)[1] == "interpreted (compiling failed: no space left)"
    assert [path.suffix for path in compiled.HOME.iterdir() if path.name != "lock"] == [".failed"]
    name = compiled.key(checkout / "engine")
    os.utime(compiled.HOME / f"{name}.failed", (0, 0))  # long ago
    assert "compiling failed" not in compiled._obstacle(name)
    compiled.make(compiling(checkout, []))
    assert not list(compiled.HOME.glob("*.failed"))


def test_a_program_takes_the_copy_that_fits(checkout: Path) -> None:
    folder = compiled.make(compiling(checkout, []))
    (folder / "engine" / "match.py").write_text("FROM = 'the copy'\n")
    assert run(checkout)[0] == "the copy"
    assert run(checkout, CARDROOM_COMPILE="0") == ["sources", "interpreted (CARDROOM_COMPILE=0)"]
    (checkout / "engine" / "match.py").write_text("FROM = 'an edit'\n")
    assert run(checkout, CC="nothing-of-this-name") == [
        "an edit",
        "interpreted (there is no C compiler)",
    ]


def test_a_program_begins_what_is_missing_and_does_not_wait(checkout: Path) -> None:
    started = checkout / "started"
    (checkout / "hatch_build.py").write_text(f"open({str(started)!r}, 'a').write('x')\n")
    assert run(checkout, CC=sys.executable) == ["sources", "interpreted (it is being compiled)"]
    while not started.exists():
        time.sleep(0.01)
    with (compiled.HOME / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(checkout, CC=sys.executable)[1] == "interpreted (it is being compiled)"
    assert started.read_text() == "x"


def test_an_installation_without_a_checkout_takes_what_it_has(checkout: Path) -> None:
    (checkout / "hatch_build.py").unlink()
    assert run(checkout) == [
        "sources",
        "interpreted (this installation came without compiled rules)",
    ]
