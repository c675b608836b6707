"""`cardroom up`, `cardroom manage` and `cardroom doctor`: run a site, also from an installed wheel.

They start a separate program, the site, which needs the extra `server`.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bots.cli.common import UsageError, guarded

Folder = Annotated[
    Path | None,
    typer.Option(
        file_okay=False,
        help="The site's data; default: CARDROOM_VAR, else var/ in this folder (in a checkout: in "
        "the checkout).",
    ),
]


@guarded
def up(
    *,
    folder: Folder = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the web server.")] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that play matches; default: one per core."),
    ] = None,
) -> None:
    """Run a site until Ctrl-C: broker, workers, web server."""
    words = ["up", "--host", host, "--port", str(port)]
    _become_site([*words, *(["--workers", str(workers)] if workers else [])], folder)


@guarded
def manage(
    words: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="A command and its arguments.")
    ],
    *,
    folder: Folder = None,
) -> None:
    """Run another command of a site, such as backup or help."""
    _become_site(words, folder)


@guarded
def doctor(
    *,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """List what this host lacks to run a site, and remedies."""
    _become_site(["doctor", *(["--json"] if as_json else [])], folder)


def _become_site(words: list[str], folder: Path | None) -> NoReturn:
    """Replace this process with the site's command."""
    if find_spec("django") is None:
        raise UsageError(
            "A site needs more packages: the extras server and embedded. In a checkout `make demo` "
            "installs them; docs/04-operations.md shows how with a wheel."
        )
    environment = os.environ | {"PYTHONSAFEPATH": "1"}  # files in this folder replace no module
    if folder is not None:
        environment["CARDROOM_VAR"] = str(folder.absolute())
    sys.stdout.flush()
    command = [sys.executable, "-m", "cardroom", *words]
    os.execve(sys.executable, command, environment)  # noqa: S606 - our own program
