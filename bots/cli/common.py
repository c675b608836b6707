"""What every command shares: output, errors, arguments, the sandbox."""

from __future__ import annotations

import functools
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn, ParamSpec

import typer
from rich.console import Console

from bots.limits import PackageError
from bots.manifest import ManifestError
from bots.outcome import RefereeError
from bots.sandbox import Limits, Sandbox, SandboxUnavailable, pick_cpu, pin, unpin
from engine import Format, RecordError

FAILED = 1
"""Exit status: the thing checked failed."""
USAGE = 2
"""Exit status: wrong usage, or the machine cannot do it."""

P = ParamSpec("P")

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
Trusted = Annotated[
    bool,
    typer.Option(
        "--trusted", help="Run your own bots without a sandbox: they can do what you can."
    ),
]
MoveMs = Annotated[int, typer.Option(min=1, max=3_600_000, help="Free time of each move, ms.")]
BankMs = Annotated[int, typer.Option(min=0, max=36_000_000, help="Extra time for the match, ms.")]


class UsageError(Exception):
    """Something the person at the keyboard has to change; the message says what."""


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """A command whose foreseeable errors come out as one sentence and an exit status."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        _print_anything()
        try:
            command(*args, **kwargs)
        except RecordError as error:
            stop(str(error), as_json=bool(kwargs.get("as_json")), status=FAILED)
        except (UsageError, PackageError, ManifestError) as error:
            stop(str(error), as_json=bool(kwargs.get("as_json")))
        except SandboxUnavailable as error:
            hint = " With --trusted your own bots run without a sandbox."
            stop(f"{error}{hint}", as_json=bool(kwargs.get("as_json")))
        except RefereeError as error:
            stop(str(error), as_json=bool(kwargs.get("as_json")))
        except KeyboardInterrupt:
            stop("Stopped.", as_json=False)

    return run


def _print_anything() -> None:
    """Let no character that a terminal or a locale cannot show end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def stop(message: str, *, as_json: bool, status: int = USAGE) -> NoReturn:
    """Say what was wrong and leave with a status."""
    if as_json:
        show_json({"ok": False, "error": message})
    else:
        err.print(message, style="red", markup=False)
    raise typer.Exit(status)


def show_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def parse_format(text: str) -> Format:
    """The format; UsageError says what would do."""
    try:
        return Format.parse(text)
    except ValueError as error:
        raise UsageError(f"{error} `cardroom formats` lists them all.") from None


@contextmanager
def opened_sandbox(limits: Limits, *, trusted: bool, warm: int = 0) -> Iterator[Sandbox]:
    """A sandbox whose bots share one core with this thread, as on the server."""
    if trusted:
        err.print("--trusted: the bots run without a sandbox.", style="yellow")
    cpu = pick_cpu(0)
    with Sandbox(limits, trusted=trusted, warm=warm, cpu=cpu) as sandbox:
        pin(cpu)
        try:
            yield sandbox
        finally:
            unpin()
