"""Pin the requirements of pyproject.toml in requirements/*.txt, with hashes, without URLs."""

from __future__ import annotations

import subprocess
import sys

PROJECT = "pyproject.toml"
# name: (arguments that select the requirements, another set whose pins must be used)
SETS: dict[str, tuple[list[str], str | None]] = {
    "site": (
        [PROJECT, "--extra=server", "--extra=embedded", "--extra=ml", "--group=install"],
        None,
    ),
    "test": (
        [
            PROJECT,
            "--extra=server",
            "--extra=embedded",
            "--extra=dump",
            "--extra=env",
            "--extra=ml",
            "--extra=sentry",
            "--group=test",
        ],
        "site",
    ),
    "bench": ([PROJECT, "--extra=env", "--group=bench"], "test"),
    "audit": ([PROJECT, "--group=audit"], "test"),
    "mutants": ([PROJECT, "--group=mutants"], "test"),
    # Only the compiler of the rules, so that it can start while the rest is installed.
    "install": (["--group=install"], "site"),
    "uv": (["--group=uv"], "test"),
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
            *chosen,
            f"--output-file=requirements/{name}.txt",
            *([f"--constraint=requirements/{base}.txt"] if base else []),
            *(["--upgrade"] if "--upgrade" in sys.argv else []),
        ]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
