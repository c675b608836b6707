"""Compiles the rules with mypyc if there is a C compiler.

A compiled wheel plays several times faster; without a compiler the wheel is interpreted, with the
same results. In a checkout, `python hatch_build.py` makes the copy that its programs use
(`core/compiled.py`); with DIR, it makes one as in a wheel. Copies are never next to the sources,
where they would become stale. CARDROOM_COMPILE=0 builds an interpreted wheel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
INTERPRETED = {
    # Called once per match, with types that mypyc does not support.
    "engine/assembly.py",
    "engine/declarations.py",
    "engine/fishing_parts.py",
    "engine/formats.py",
    "engine/game.py",
    "engine/move_parts.py",
    "engine/record.py",
    "engine/registry.py",
    "engine/rules.py",
    # mypyc drops the descriptions in annotations.
    "engine/json_types.py",
    "engine/fishing_json_types.py",
    *(
        f"engine/games/{game}/json_types.py"
        for game in ("canasta", "cassino", "paks", "spoon_eye", "zwicker")
    ),
    # The conformance tests call foreign games in all ways, and need no speed.
    "engine/testing.py",
    # Called only for people, with classes that mypyc does not support.
    "engine/games/canasta/move_builder.py",
    "engine/games/cassino/move_builder.py",
    "engine/games/paks/move_builder.py",
    "engine/games/spoon_eye/move_builder.py",
    "engine/games/zwicker/move_builder.py",
}


class CompilingFailedError(RuntimeError):
    """mypyc or the C compiler failed; the text is one line of the reason, `output` is all."""

    def __init__(self, output: str) -> None:
        lines = output.strip().splitlines() or ["the compiler said nothing"]
        super().__init__(next((line for line in lines if "error:" in line), lines[-1]).strip())
        self.output = output


# Levels for wheels and benchmarks, and for checkouts, which are compiled after each edit. The
# second needs two fifths less processor time, and its rules play 4 % slower.
FASTEST, QUICKEST_MADE = "3", "1"
# CFLAGS replaces the flags that Python was built with, so the first two of these are repeated: they
# omit the assertions in Python's headers, and let integers wrap. Checking for warnings in generated
# C took longer than compiling it. Hidden symbols cannot be replaced by other libraries, so they are
# called directly, and functions of Python without a jump through a table.
C_FLAGS = "-DNDEBUG -fwrapv -w -fvisibility=hidden -fno-plt"
GROUPS = 8
"""Number of C files; more would keep more processors busy, and read the headers more often."""

# `python -m mypyc` writes one C file, which keeps a single processor busy. A file for each module
# would read the same large headers a hundred times. This compiles groups of modules in parallel;
# the rules are as fast.
SETUP = """
from pathlib import Path
from mypyc.build import mypycify
from pybind11.setup_helpers import ParallelCompile
from setuptools import setup

modules = mypycify(
    ["--config-file=", *{sources}], multi_file=True, opt_level="{level}", debug_level="0"
)
library = max(modules, key=lambda module: len(module.sources))
written = sorted(
    (path for path in library.sources if "__native_" in path),
    key=lambda path: Path(path).stat().st_size,
)
for number in range({groups}):
    group = Path("build", f"group{{number}}.c")
    lines = [f'#include "{{Path(path).name}}"' for path in written[number::{groups}]]
    group.write_text("\\n".join(lines))
    library.sources.append(str(group))
library.sources = [path for path in library.sources if path not in written]
ParallelCompile().install()
setup(name="engine", ext_modules=modules)
"""


def compile_engine(folder: Path, level: str = FASTEST) -> list[Path]:
    """Copy `engine/` into `folder`, compile it there, and return the extension modules.

    level: the C compiler's optimization level. Raises CompilingFailedError.
    """
    shutil.copytree(
        ROOT / "engine", folder / "engine", ignore=shutil.ignore_patterns("__pycache__")
    )
    sources = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.py"))]
    chosen = [source for source in sources if source not in INTERPRETED]
    # This hides the checkout's configuration above the folder, which needs plugins of the tests.
    # It compiles the large module and the many small ones in parallel.
    (folder / "setup.cfg").write_text(f"[build_ext]\nparallel = {os.cpu_count() or 1}\n")
    (folder / "setup.py").write_text(SETUP.format(sources=chosen, level=level, groups=GROUPS))
    result = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "CFLAGS": f"{os.environ.get('CFLAGS', '')} {C_FLAGS}",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
    )
    if result.returncode:
        raise CompilingFailedError(result.stdout + result.stderr)
    for leftover in ("build", ".mypy_cache"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    for leftover in ("setup.cfg", "setup.py"):
        (folder / leftover).unlink()
    return sorted(folder.rglob("*.so"))


class CompileHook(BuildHookInterface[Any]):
    """The hook that hatchling calls for each wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or os.environ.get("CARDROOM_COMPILE") == "0":
            return
        self.folder = Path(tempfile.mkdtemp(prefix="cardroom-build-"))
        try:
            modules = compile_engine(self.folder)
        except (CompilingFailedError, OSError) as error:
            self.app.display_warning(f"The engine stays interpreted: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for module in modules:
            build_data["force_include"][str(module)] = str(module.relative_to(self.folder))

    def finalize(self, *_: object) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)


def main() -> None:
    """Compile the engine into the folder named on the command line, or else for this checkout."""
    if len(sys.argv) > 2:
        sys.exit("Usage: python hatch_build.py [DIR]")
    os.umask(0o022)  # services that run as other users read it
    try:
        if len(sys.argv) == 2:
            folder = Path(sys.argv[1])
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            compile_engine(folder)
        else:
            sys.path.insert(0, str(ROOT / "platform"))
            from cardroom_base.core import compiled  # only a checkout has it next to this file

            folder = compiled.get_or_compile(_for_a_checkout)
    except CompilingFailedError as error:
        sys.stdout.write(error.output)
        sys.exit(f"The engine could not be compiled: {error}")
    sys.stdout.write(f"{folder}\n")


def _for_a_checkout(folder: Path) -> None:
    sys.stderr.write("Compiling the rules, once for these sources: about a minute\n")
    compile_engine(folder, QUICKEST_MADE)


if __name__ == "__main__":
    main()
