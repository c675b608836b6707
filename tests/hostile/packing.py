"""Packs a program as its author would, into a zip that the site's `Package` reads."""

from __future__ import annotations

import io
import os
import re
import secrets
import subprocess
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Final

from bots.package.package import Package
from bots.sandbox import Limits
from tests.hostile.collection import PROGRAMS, HostileProgram

SERVICE: Final = f"\0cardroom-hostile-{os.getpid()}"
"""The name of a socket that the harness listens on."""
_PART: Final = re.compile(rb"^# =+ (\S+) =+\n", re.MULTILINE)
"""Begins another file of the package inside a program."""


def pack(program: HostileProgram, limits: Limits, role: str, tag: str = "") -> Package:
    """The package of a program.

    role: "sender" or "receiver" in pairs. tag: a word that only both programs of a pair know.
    Raises PackageError if the package is refused.
    """
    words = [role or "alone", program.argument]
    match program.path.suffix:
        case ".py":
            return zip_package(_python(program, limits, role, tag))
        case ".js":
            main, manifest = {"bot.js": program.path.read_bytes()}, b'runtime = "node"\n'
        case ".sh":
            main, manifest = {"bot.sh": program.path.read_bytes()}, _command("bot.sh", words)
        case ".c":
            main, manifest = {"bot": compile_c(program.path, limits)}, _command("bot", words)
    return zip_package(main | {"cardroom.toml": manifest})


def zip_package(files: dict[str, bytes]) -> Package:
    """A package of these files, packed and loaded. Raises PackageError."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return Package.load(buffer.getvalue(), filename="hostile.zip")


def _python(program: HostileProgram, limits: Limits, role: str, tag: str) -> dict[str, bytes]:
    given = {
        "SERVICE": SERVICE,
        "ROLE": role,
        "ARGUMENT": program.argument,
        "TAG": tag,
        "SECRET": secrets.token_hex(8) if role == "sender" else "",
        "MEMORY_MIB": limits.memory_mib,
        "THREADS": limits.threads,
        "FILES": limits.files,
        "DISK_MIB": limits.disk_mib,
        "ROOT_STARTS": os.geteuid() == 0,
    }
    main, *others = _PART.split(program.path.read_bytes())
    parts = dict(zip(map(bytes.decode, others[::2]), others[1::2], strict=True))
    files = {path: _fill_in(content, program.argument, limits) for path, content in parts.items()}
    return {
        "bot.py": main,
        "lib.py": (PROGRAMS / "lib.py").read_bytes(),
        "given.py": "".join(f"{name} = {value!r}\n" for name, value in given.items()).encode(),
        **files,
    }


def _fill_in(content: bytes, argument: str, limits: Limits) -> bytes:
    """The content of another file of the package, with the values of this variant."""
    if content.startswith(b"@DISK@"):
        return bytes((limits.disk_mib + 2) << 20)
    return content.replace(b"@ARGUMENT@", argument.encode())


def _command(program: str, words: list[str]) -> bytes:
    quoted = ", ".join(f'"{word}"' for word in (f"./{program}", *words) if word)
    return f"command = [{quoted}]\n".encode()


@cache
def compile_c(path: Path, limits: Limits) -> bytes:
    """A statically linked C program, because it runs without libraries."""
    macros = [f"-DMEMORY_MIB={limits.memory_mib}", f"-DTHREADS={limits.threads}"]
    macros.append(f"-DFILES={limits.files}")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "bot")
        command = ["cc", "-static", "-O1", "-pthread", "-w", "-s", f"-I{PROGRAMS}", *macros]
        subprocess.run([*command, str(path), "-o", str(target)], check=True)
        return target.read_bytes()
