"""Compiles the rules with mypyc where a C compiler is at hand.

A wheel built there plays several times faster; elsewhere the same files are interpreted, with the
same results. In a checkout `python hatch_build.py` makes the copy that every program of it takes
(`core/compiled.py`), with DIR one as a wheel has it: never beside the sources, where it would
outlive an edit. CARDROOM_COMPILE=0 leaves a wheel interpreted.
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
    # Called once a match, and freer with types than mypyc allows.
    "engine/assembly.py",
    "engine/declarations.py",
    "engine/fishing_parts.py",
    "engine/formats.py",
    "engine/game.py",
    "engine/move_parts.py",
    "engine/record.py",
    "engine/registry.py",
    "engine/rules.py",
    # The conformance tests call games of other packages by every road; nothing in them is hot.
    "engine/testing.py",
    # Called for people only, and their classes are freer than mypyc allows.
    "engine/games/canasta/move_builder.py",
    "engine/games/cassino/move_builder.py",
    "engine/games/paks/move_builder.py",
    "engine/games/spoon_eye/move_builder.py",
    "engine/games/zwicker/move_builder.py",
}


class CompilingFailedError(RuntimeError):
    """mypyc or the C compiler failed; the text says why in a line, `output` all they said."""

    def __init__(self, output: str) -> None:
        lines = output.strip().splitlines() or ["the compiler said nothing"]
        super().__init__(next((line for line in lines if "error:" in line), lines[-1]).strip())
        self.output = output


# What a wheel and the benchmarks take; and a checkout, which is compiled after each edit: with two
# fifths less processor time, and the rules then play 4 % slower.
FASTEST, QUICKEST_MADE = "3", "1"


def compile_engine(folder: Path, level: str = FASTEST) -> list[Path]:
    """Copy `engine/` into `folder`, compile it there, and return the extension modules.

    level: how hard the C compiler tries. Raises CompilingFailedError.
    """
    shutil.copytree(
        ROOT / "engine", folder / "engine", ignore=shutil.ignore_patterns("__pycache__")
    )
    sources = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.py"))]
    chosen = [source for source in sources if source not in INTERPRETED]
    # Not with a checkout's configuration, found above the folder: it wants plugins of the tests.
    # The large module and the many small ones side by side.
    (folder / "setup.cfg").write_text(f"[build_ext]\nparallel = {os.cpu_count() or 1}\n")
    result = subprocess.run(
        [sys.executable, "-m", "mypyc", "--config-file=", *chosen],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={
            "MYPYC_DEBUG_LEVEL": "0",
            "MYPYC_OPT_LEVEL": level,
            **os.environ,
            # Looking for what to warn of in C that nobody reads took longer than compiling it. And
            # nobody may put functions of his own in the place of ours: so they are called directly.
            "CFLAGS": f"{os.environ.get('CFLAGS', '')} -w -fvisibility=hidden",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
    )
    if result.returncode:
        raise CompilingFailedError(result.stdout + result.stderr)
    for leftover in ("build", ".mypy_cache"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    (folder / "setup.cfg").unlink()
    return sorted(folder.rglob("*.so"))


class CompileHook(BuildHookInterface[Any]):
    """What hatchling calls for each wheel."""

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
    os.umask(0o022)  # services with users of their own read it
    try:
        if len(sys.argv) == 2:
            folder = Path(sys.argv[1])
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            compile_engine(folder)
        else:
            sys.path.insert(0, str(ROOT / "platform"))
            from cardroom_base.core import compiled  # only a checkout has it beside this file

            folder = compiled.make(_for_a_checkout)
    except CompilingFailedError as error:
        sys.stdout.write(error.output)
        sys.exit(f"The engine could not be compiled: {error}")
    sys.stdout.write(f"{folder}\n")


def _for_a_checkout(folder: Path) -> None:
    sys.stderr.write("Compiling the rules, once for these sources: about a minute\n")
    compile_engine(folder, QUICKEST_MADE)


if __name__ == "__main__":
    main()
