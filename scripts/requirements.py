"""Pin what pyproject.toml asks for into requirements/*.txt, with hashes and without addresses."""

from __future__ import annotations

import subprocess
import sys

# name: (arguments that choose what to pin, a file whose pins must hold here too)
SETS: dict[str, tuple[list[str], str | None]] = {
    "site": (["--extra=server", "--extra=embedded", "--group=install"], None),
    "test": (["--extra=server", "--extra=embedded", "--extra=dump", "--group=test"], "site"),
    "bench": (["--group=bench"], "site"),
    "audit": (["--group=audit"], "test"),
    "mutants": (["--group=mutants"], "test"),
}


def main() -> None:
    for name, (chosen, base) in SETS.items():
        command = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--python-version=3.11",
            "--generate-hashes",
            "--no-emit-index-url",
            "--no-header",
            "pyproject.toml",
            *chosen,
            f"--output-file=requirements/{name}.txt",
            *([f"--constraint=requirements/{base}.txt"] if base else []),
            *(["--upgrade"] if "--upgrade" in sys.argv else []),
        ]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
