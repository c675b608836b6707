"""Find the libraries that Python bots may ask for (`needs` of the manifest), without an import."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bots.sandbox.model import SandboxUnavailable

Needs = tuple[str, ...]
"""Names of libraries, sorted. Bots with equal needs share a root, an image and a fork server."""

LIBRARIES: Final = {"numpy": "numpy.random"}
"""The libraries that a manifest can name, with the module that a fork server loads ahead."""
# Parts that a bot does not use: tests, compilers, files for installers and other compilers.
_OMITTED: Final = {"tests", "f2py", "distutils", "include", "_pyinstaller", "__pycache__"}
_VERSION: Final = re.compile(r"\d+(\.\d+)*")


def installed() -> dict[str, str]:
    """The libraries that this machine offers to bots, with their versions.

    CARDROOM_LIBRARIES restricts them to the names in it, which are separated by commas.
    """
    setting = os.environ.get("CARDROOM_LIBRARIES")
    names = LIBRARIES if setting is None else [name.strip() for name in setting.split(",")]
    versions = {name: _version(name) for name in names if name in LIBRARIES}
    return {name: number for name, number in versions.items() if number}


def missing(needs: Collection[str]) -> list[str]:
    """The needed libraries that this machine does not offer."""
    offered = installed() if needs else {}
    return [name for name in needs if name not in offered]


def remedy(names: Collection[str]) -> str:
    """A sentence on what makes this machine offer the missing libraries."""
    listed = ",".join([*installed(), *names])
    if all(map(_version, names)):
        return f"Set CARDROOM_LIBRARIES to {listed}, or do not set it."
    return f"Run: pip install {' '.join(names)}"


def runtimes() -> dict[str, str]:
    """The versions of the languages and libraries that this machine offers to bots, by name."""
    node = {"node": _node()} if _node() else {}
    return {"python": platform.python_version()} | node | installed()


def files(needs: Needs) -> dict[str, Path]:
    """The files of libraries: path in the image -> file. Raises SandboxUnavailable."""
    paths: dict[str, Path] = {}
    for name in needs:
        for top in folders(name):
            for path in _used_files(top):
                paths[path.relative_to(top.parent).as_posix()] = path
    return paths


@cache
def _version(name: str) -> str:
    """The version of an installed library; empty if it is not installed."""
    try:
        return version(name) if find_spec(name) is not None else ""
    except PackageNotFoundError:
        return ""


@cache
def _node() -> str:
    program = shutil.which("node")
    if program is None:
        return ""
    try:
        result = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    number = _VERSION.search(result.stdout)
    return number[0] if number else ""


def folders(name: str) -> list[Path]:
    """The folder of a library and, in a wheel, that of the shared libraries beside it.

    Raises SandboxUnavailable.
    """
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SandboxUnavailable(f"{name} is not installed on this machine.")
    folder = Path(next(iter(spec.submodule_search_locations)))
    shared_libraries = folder.with_name(f"{name}.libs")
    return [folder, shared_libraries] if shared_libraries.is_dir() else [folder]


def _used_files(top: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = [name for name in subfolders if name not in _OMITTED]
        for name in names:
            if name.endswith(".py") or ".so" in name:
                yield Path(folder, name)
