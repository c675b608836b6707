"""`new`: each language's starter bot plays."""

from __future__ import annotations

import errno
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bots.package.package import Package, PackageError
from engine import Match, all_formats

from .conftest import Run


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("language", "tool"), [("python", "python3"), ("javascript", "node"), ("c", "cc")]
)
def test_a_new_bot_passes_its_check(run: Run, language: str, tool: str) -> None:
    if shutil.which(tool, path="/usr/bin:/bin") is None:
        pytest.skip(f"{tool} is not installed here")
    ran = run("new", 'Magpie "7"', "--language", language, "--game", "cassino", "--json")
    assert ran.status == 0
    assert ran.json["folder"] == "magpie-7"
    if language == "c":
        with pytest.raises(
            PackageError, match=r"starts './bot', but the package has no such file; .* Run make"
        ):
            Package.load(Path("magpie-7"))
        subprocess.run(["make", "-s", "-C", "magpie-7"], check=True)
    package = Package.load(Path("magpie-7"))
    assert package.name == 'Magpie "7"'
    assert package.manifest.formats == ("cassino/*/*",)
    ran = run("check", "magpie-7", "--format", "cassino/standard/2v2", sandboxed=True)
    assert ran.status == 0, ran.out
    arguments = (
        "play",
        "cassino/standard/1v1",
        "magpie-7",
        "house:random",
        "--deals",
        "1",
        "--json",
    )
    moves = [
        run(*arguments, "--seed", "x", "--rng", secret, sandboxed=True).json[0]["record"]["moves"]
        for secret in ("a", "a", "b")
    ]
    assert moves[0] == moves[1] != moves[2]


def test_existing_files_are_not_overwritten(run: Run) -> None:
    Path("magpie").mkdir()
    ran = run("new", "Magpie")
    assert (ran.status, ran.err) == (2, "magpie already exists; choose another name.\n")
    assert list(Path("magpie").iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "///", "x" * 49, "a\nb"])
def test_a_name_without_letters_or_too_long_is_refused(run: Run, name: str) -> None:
    ran = run("new", name)
    assert ran.status == 2
    assert "A bot's name must have a letter or a digit" in ran.err
    assert list(Path().iterdir()) == []


def test_an_unknown_game_or_language_is_refused(run: Run) -> None:
    assert run("new", "Magpie", "--game", "bridge").status == 2
    assert run("new", "Magpie", "--language", "cobol").status == 2
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(("language", "file"), [("python", "bot.py"), ("c", "bot.c")])
@pytest.mark.parametrize("game", sorted({fmt.game for fmt in all_formats()}))
def test_the_view_of_the_game_is_explained(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, language: str, file: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "Wren", "--game", game, "--language", language).status == 0
    text = (tmp_path / "wren" / file).read_text("utf-8")
    fmt = next(fmt for fmt in all_formats() if fmt.game == game)
    for key in Match(fmt, "a test").view(0):
        assert f"  {key}: " in text


def test_a_full_disk_leaves_no_incomplete_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def fill(path: Path, text: str, **options: Any) -> int:
        if path.name != "bot.py":
            write(path, text[:5], **options)
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", fill)
    ran = run("new", "Magpie")
    assert (ran.status, ran.err) == (2, "magpie cannot be written: No space left on device.\n")
    assert not Path("magpie").exists()
