"""Build the runtime image for sandboxes: engine, runner, games of other packages, libraries.

Bots see copies of the program's files. The sandbox's user often cannot reach the originals, for
example if they are under /root.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache as once
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import engine
from bots.runner import forkserver, runner
from bots.sandbox import libraries, shared_folders
from bots.sandbox.interpreter import Interpreter
from bots.sandbox.model import SandboxUnavailable
from engine.registry import BUILT_IN, GROUP, entry_points

START: Final = "start.pyc"
# The only metadata in the image: it lists the games of other packages for the registry.
_GAMES_METADATA: Final = "cardroom_games-1.dist-info"
# An import need not compare these files with their sources, because the image is read-only.
_COMPILE: Final = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile("runner.py", sys.argv[1], "runner.py", doraise=True, invalidation_mode=mode)
for folder in sys.argv[2:]:
    compileall.compile_dir(folder, quiet=1, invalidation_mode=mode)
"""


@once
def ensure_image(python: Interpreter, needs: libraries.Needs = ()) -> Path:
    """The image for an interpreter, compiled by it; built if it does not exist.

    needs: the libraries to include. Without libraries, equal installations have equal images.
    """
    sources = _sources()
    digest = hashlib.sha256(python.version.encode())
    for path, content in sources.items():
        digest.update(f"\0{path}\0{len(content)}\0".encode() + content)
    sizes: dict[str, int | None] = {name: len(content) for name, content in sources.items()}
    library_files = libraries.files(needs)
    for name, file in library_files.items():
        status = file.stat()
        sizes[name] = status.st_size
        digest.update(f"\0{name}\0{file}\0{status.st_size}\0{status.st_mtime_ns}".encode())

    def build(image: Path) -> None:
        for name in sizes:
            target = image / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name in sources:
                target.write_bytes(sources[name])
            else:
                shutil.copyfile(library_files[name], target)
        packages = sorted({name.split("/")[0] for name in sizes if "/" in name})
        _compile(image, python.path, packages)

    return shared_folders.ensure(f"engine-{digest.hexdigest()[:24]}", sizes | {START: None}, build)


def _sources() -> dict[str, bytes]:
    top = Path(engine.__path__[0])
    sources = {path.relative_to(top.parent).as_posix(): path for path in _modules(top)}
    for path in top.parent.glob("*__mypyc.*.so"):  # the shared code of compiled modules
        sources[path.name] = path
    game_files, listing = _installed_games()
    sources = game_files | sources  # other packages cannot replace the engine
    sources["runner.py"] = Path(runner.__file__)
    sources["forkserver.py"] = Path(forkserver.__file__)
    contents = {name: sources[name].read_bytes() for name in sorted(sources)}
    return contents | listing


def _installed_games() -> tuple[dict[str, Path], dict[str, bytes]]:
    """(the modules of packages with games, the metadata that lists these games).

    The dependencies of a package are not included: a game that needs more than the engine and the
    standard library can be played, but bots cannot simulate it in the sandbox.
    """
    files: dict[str, Path] = {}
    lines = []
    for entry in sorted(entry_points(group=GROUP)):
        name = entry.module.partition(".")[0]
        spec = find_spec(name)  # finds a top module without importing it
        if entry.name in BUILT_IN or spec is None or name in {"engine", "runner", "forkserver"}:
            continue
        lines.append(f"{entry.name} = {entry.value}\n")
        if spec.submodule_search_locations is None:
            files[Path(str(spec.origin)).name] = Path(str(spec.origin))
        for place in spec.submodule_search_locations or ():
            top = Path(place)
            files |= {f"{name}/{path.relative_to(top).as_posix()}": path for path in _modules(top)}
    if not lines:
        return {}, {}
    return files, {
        f"{_GAMES_METADATA}/METADATA": b"Metadata-Version: 2.1\nName: cardroom-games\nVersion: 1\n",
        f"{_GAMES_METADATA}/entry_points.txt": f"[{GROUP}]\n{''.join(lines)}".encode(),
    }


def _modules(top: Path) -> Iterator[Path]:
    for path in top.rglob("*"):
        if path.suffix in {".py", ".so"} and "__pycache__" not in path.parts:
            yield path


def _compile(folder: Path, python: Path, packages: list[str]) -> None:
    result = subprocess.run(
        [str(python), "-I", "-S", "-c", _COMPILE, START, *packages],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    # A module that does not compile raises its error when a bot imports it.
    if not (folder / START).exists():
        raise SandboxUnavailable(f"{python} cannot compile the runner: {result.stderr.strip()}")
