"""Build the root that a bot sees: copies of the files that its runtime needs, and no others.

A Python bot gets the interpreter, its standard library and the shared libraries that these load. A
bot with a command also gets `sh`, `env`, `node` if the machine has it, and the libraries that
programs in C and C++ load. Programs are in /usr/bin and everything else in /usr/lib,
where the loaders and interpreters of all systems search.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache as once
from pathlib import Path
from typing import Final

from bots.sandbox import libraries, shared_folders
from bots.sandbox.interpreter import Interpreter
from bots.sandbox.model import SandboxUnavailable
from bots.sandbox.seccomp import Runtime

PYTHON: Final = "/usr/bin/python3"
ENGINE: Final = "/cardroom"
# Devices of the machine, mounted over empty files. Python gets random bytes by a system call.
DEVICES: Final[dict[Runtime, tuple[str, ...]]] = {
    "python": ("/dev/null",),
    "command": ("/dev/null", "/dev/urandom"),
}
_LIBRARIES: Final = "usr/lib"
_LINKS: Final = {"bin": "usr/bin", "lib": _LIBRARIES, "lib64": _LIBRARIES, "usr/lib64": "lib"}
# Omitted parts of the standard library: they need a screen, a terminal or an installer, or describe
# a build.
_OMITTED: Final = re.compile(
    r"test|tests|_test.*|_ctypes_test|_xx.*|xx.*|idlelib|_?tkinter|turtle|turtledemo|lib2to3"
    r"|_?curses.*|readline|ensurepip|venv|distutils|pydoc_data|msilib|nis|ossaudiodev|spwd|_?crypt"
    r"|_g?dbm|_sysconfigdata.*|sitecustomize|usercustomize|config-.*|.*-packages|__pycache__"
)
# A library that glibc loads when a thread ends; then the libraries of programs in C and C++.
_FOR_PYTHON: Final = ("libgcc_s.so.1",)
_FOR_COMMANDS: Final = (
    "libstdc++.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libatomic.so.1",
)  # fmt: skip
_COMMANDS: Final = ("sh", "env", "node")
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_LOCALE: Final = Path("/usr/lib/locale/C.utf8")
_LISTED_LIBRARY: Final = re.compile(r"\t(?:(\S+) => )?(/.+) \(0x[0-9a-f]+\)")
_NODE_FOLDER: Final = Path("/usr/share/nodejs")  # Debian's Node.js has parts in this folder
_NODE_PARTS: Final = re.compile(rb"/usr/share/nodejs/[\w./@-]+?\.js")
# 64-bit ELF. Fields of its header: start of the table of segments, length of an entry, number of
# entries. Last, the type of segment that names the loader.
_ELF: Final = b"\x7fELF\x02"
_TABLE: Final = (slice(32, 40), slice(54, 56), slice(56, 58))
_INTERPRETER: Final = b"\x03\0\0\0"
_COMPILE: Final = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("usr", quiet=2, stripdir=sys.argv[1], prependdir="/", invalidation_mode=mode)
"""


@once
def ensure_root(python: Interpreter, runtime: Runtime, needs: libraries.Needs = ()) -> Path:
    """The root for bots of this runtime, built if missing. Raises SandboxUnavailable.

    needs: libraries of the image; the root has the shared libraries that these load.
    """
    try:
        loaded = _loaded_by_needs(python, needs)
        return _root(python, runtime, loaded | _source_files(python, runtime))
    except OSError as error:
        raise SandboxUnavailable(f"No root can be built for bots: {error}") from error


def _root(python: Interpreter, runtime: Runtime, sources: dict[str, Path]) -> Path:
    sizes: dict[str, int | None] = dict.fromkeys(_folders(python))
    digest = hashlib.sha256(Path(__file__).read_bytes())  # rebuild when this module changes
    digest.update(f"{runtime} {python.version}".encode())
    for target, source in sorted(sources.items()):
        status = source.stat()
        sizes[target] = status.st_size
        digest.update(f"\0{target}\0{source}\0{status.st_size}\0{status.st_mtime_ns}".encode())
    sizes |= {name[1:]: 0 for name in DEVICES[runtime]}

    def build(tree: Path) -> None:
        _fill(tree, sources, [*_folders(python), "dev"])
        for name in DEVICES[runtime]:
            Path(f"{tree}{name}").touch()
        _compile(tree, python)

    return shared_folders.ensure(f"{runtime}-{digest.hexdigest()[:24]}", sizes, build)


def _folders(python: Interpreter) -> list[str]:
    """Folders that exist even if they are empty: mount points, and Python's landmarks."""
    return ["tmp", ENGINE[1:], f"{_LIBRARIES}/{python.library.name}/lib-dynload"]


def _fill(tree: Path, sources: dict[str, Path], folders: Iterable[str]) -> None:
    for name in (*folders, "usr/bin", _LIBRARIES):
        (tree / name).mkdir(parents=True, exist_ok=True)
    for name, target in _LINKS.items():
        (tree / name).symlink_to(target)
    for name, source in sources.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        if name.startswith("usr/bin/") or path.name.startswith("ld-"):
            path.chmod(0o755)


def _compile(tree: Path, python: Interpreter) -> None:
    """Compile the standard library; a file that does not compile is loaded from source."""
    result = subprocess.run(
        [str(python.path), "-I", "-S", "-c", _COMPILE, str(tree)],
        cwd=tree,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise SandboxUnavailable(f"{python.path} cannot compile: {result.stderr.strip()}")


def _source_files(python: Interpreter, runtime: Runtime) -> dict[str, Path]:
    """The files of the root: path in the root -> file of this machine."""
    if not (python.library / "os.py").is_file():
        raise SandboxUnavailable(
            f"The standard library of {python.path} is not in {python.library}: "
            "bots need an interpreter whose library consists of files."
        )
    library_folder = f"{_LIBRARIES}/{python.library.name}"
    files = {f"{library_folder}/{path}": source for path, source in _modules(python.library)}
    extensions = [path for path, _ in _modules(python.extensions) if path.endswith(".so")]
    files |= {
        f"{library_folder}/lib-dynload/{name}": python.extensions / name for name in extensions
    }
    files[PYTHON[1:]] = python.path
    preloaded = (*(f"./{name}" for name in extensions), *_FOR_PYTHON)
    if runtime == "command":
        preloaded = (*preloaded, *_FOR_COMMANDS)
    files |= _loaded_libraries(python.path, preloaded, python.extensions)
    if runtime == "command":
        files = _command_files() | files
    if _LOCALE.is_dir():
        locale = (path for path in _LOCALE.rglob("*") if path.is_file())
        files |= {str(path)[1:]: path for path in locale}
    return files


def _loaded_by_needs(python: Interpreter, needs: libraries.Needs) -> dict[str, Path]:
    """The shared libraries of this machine that the image's libraries load."""
    loaded: dict[str, Path] = {}
    files = libraries.files(needs)
    names = {path.name for path in files.values()}
    for name in needs:
        top = libraries.folders(name)[0].parent
        modules = [f"./{path}" for path in files if path.endswith(".so") and (top / path).exists()]
        needed = _loaded_libraries(python.path, modules, top)
        loaded |= {path: file for path, file in needed.items() if file.name not in names}
    return loaded


def _modules(top: Path) -> Iterator[tuple[str, Path]]:
    """Modules below a folder, as source or compiled, by relative path."""
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = [name for name in subfolders if not _OMITTED.fullmatch(name)]
        for name in names:
            path = Path(folder, name)
            omitted = not name.endswith((".py", ".so")) or _OMITTED.fullmatch(name.split(".")[0])
            if not omitted and path.is_file():
                yield path.relative_to(top).as_posix(), path


def _command_files() -> dict[str, Path]:
    """Programs that bots with a command may use, with the files that they load."""
    files: dict[str, Path] = {}
    for name in _COMMANDS:
        path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{_SYSTEM_PATH}")
        if path is None or not _is_program(program := Path(path).resolve()):
            continue
        loaded = _loaded_libraries(program)
        files = loaded | files | {f"usr/bin/{name}": program}
        if name == "node" and _NODE_FOLDER.is_dir():
            files |= _node_parts([program, *loaded.values()])
    return files


def _node_parts(programs: Iterable[Path]) -> dict[str, Path]:
    parts: set[str] = set()
    for program in programs:
        if program.name.startswith(("node", "libnode")):
            parts |= {name.decode() for name in _NODE_PARTS.findall(program.read_bytes())}
    return {part[1:]: Path(part) for part in parts if Path(part).is_file()}


def _loaded_libraries(
    program: Path, preloaded: Iterable[str] = (), folder: Path | None = None
) -> dict[str, Path]:
    """The shared libraries that a program loads, as its own loader reports them.

    preloaded: further libraries: names with a slash are files below `folder`, others are searched
    for. Libraries that cannot be found are omitted. A static program loads nothing.
    """
    loader = _loader(program)
    if loader is None:
        return {}
    result = subprocess.run(
        [str(loader), "--list", str(program)],
        cwd=folder or "/",
        env={
            "LD_PRELOAD": " ".join(preloaded),
            "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    files = {_path_in_root(loader): loader}
    for name, path in _LISTED_LIBRARY.findall(result.stdout):
        files.setdefault(_path_in_root(Path(name or path)), Path(path))
    return files


def _path_in_root(library: Path) -> str:
    """The path of a library in the root: /usr/lib, unless programs load it by its full path."""
    is_usual = not library.is_absolute() or str(library.parent) in {"/lib", "/lib64", "/usr/lib"}
    return f"{_LIBRARIES}/{library.name}" if is_usual else str(library)[1:]


def _is_program(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(5) == _ELF


def _loader(program: Path) -> Path | None:
    """The loader that a program names; None if it is linked statically."""
    with program.open("rb") as file:
        header = file.read(64)
        if not header.startswith(_ELF):
            raise SandboxUnavailable(f"{program} is not a 64-bit program.")
        table, size, count = (int.from_bytes(header[place], "little") for place in _TABLE)
        for number in range(count):
            file.seek(table + number * size)
            entry = file.read(size)
            if entry.startswith(_INTERPRETER):
                file.seek(int.from_bytes(entry[8:16], "little"))
                return Path(
                    file.read(int.from_bytes(entry[32:40], "little")).rstrip(b"\0").decode()
                )
    return None
