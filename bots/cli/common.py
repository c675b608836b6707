"""Code that the commands share: output, errors, arguments, the sandbox."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Annotated, Any, Final, NoReturn, ParamSpec

import typer
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.progress import Progress, ProgressColumn
from rich.segment import Segment
from rich.table import Table

from bots.limits import PackageError
from bots.package.manifest import ManifestError
from bots.package.package import Package
from bots.referee.clock import ClockSettings
from bots.referee.outcome import RefereeError, SeatedBot
from bots.referee.parallel import MatchConditions
from bots.sandbox import (
    Limits,
    Sandbox,
    SandboxUnavailable,
    libraries,
    pick_cpu,
    sandbox_on_one_core,
)
from cardroom_base.core.fields import FieldError
from cardroom_base.core.safe_text import (
    OutputError,
    converted_output_errors,
    discard_output,
    escape,
    escape_json,
    one_line,
    replace_unprintable,
)
from engine import Format, Record, RecordError, all_formats
from engine.declarations import join_words

FAILED = 1
"""Exit status: the bot, match or record failed its check."""
USAGE = 2
"""Exit status: wrong usage, or a problem of the machine."""

P = ParamSpec("P")

_TRUSTED: Final = "--trusted: the bots run without a sandbox."


class Screen(Console):
    """A console that prints untrusted text as plain text: all text passes through
    `core.safe_text`.

    Brackets and colons in a text have no special meaning.
    """

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(
            stderr=stderr, soft_wrap=soft_wrap, markup=False, emoji=False, highlight=False
        )

    @property
    def file(self) -> IO[str]:
        """The innermost stream.

        A progress bar wraps standard error, which `guard_streams` has already wrapped. Rich unwraps
        only one of the two, and the other would escape its colours and movements.
        """
        stream = super().file
        while inner := getattr(stream, "rich_proxied_file", None):
            stream = inner
        return stream

    @file.setter
    def file(self, stream: IO[str]) -> None:
        self._file = stream

    def print(self, *objects: Any, **options: Any) -> None:
        """Print. Raises OutputError, but ignores errors of standard error."""
        with suppress(OSError) if self.stderr else converted_output_errors():
            try:
                super().print(*objects, **options)
            except OSError:
                self._buffer.clear()  # the next call would print it again
                raise

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Make the text of every segment harmless."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(escape(segment.text), segment.style)


class PlainTable(Table):
    """A table without borders that never truncates a word; on a narrow screen its rows overflow.

    Names differ at their ends, so `hous…` would tell the reader nothing.
    """

    def __init__(self, *headers: str, **options: Any) -> None:
        super().__init__(*headers, box=None, pad_edge=False, **options)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give each column at least the width of its longest word."""
        for column in self.columns:
            parts = (column.header, *column.cells)
            widths = [Measurement.get(console, options, part).minimum for part in parts]
            column.min_width = max(widths)
        return super().__rich_console__(console, options)


out = Screen(soft_wrap=True)
err = Screen(stderr=True, soft_wrap=True)


def complete_format(incomplete: str) -> list[str]:
    """The formats that complete what the user has typed."""
    return [text for text in map(str, all_formats()) if text.startswith(incomplete)]


def complete_game(incomplete: str) -> list[str]:
    """The games that complete what the user has typed."""
    names = dict.fromkeys(fmt.game for fmt in all_formats())
    return [name for name in names if name.startswith(incomplete)]


FormatText = Annotated[
    str,
    typer.Argument(
        metavar="FORMAT", help="Such as cassino/royal/2v2.", autocompletion=complete_format
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
Server = Annotated[str, typer.Option(help="The site, such as https://cards.example.org.")]
Trusted = Annotated[
    bool,
    typer.Option(
        "--trusted",
        help="Run your own bots without a sandbox: they can do anything that you can do.",
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME",
        help="With --trusted: an environment variable to pass to the bots, such as an API key.",
    ),
]
MoveMs = Annotated[int, typer.Option(help="Free time for each move, in ms.")]
BankMs = Annotated[int, typer.Option(help="Extra time for the match, in ms.")]

Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=256,
        envvar="CARDROOM_JOBS",
        help="Matches played in parallel; default: one per core.",
    ),
]
InProcess = Annotated[
    bool,
    typer.Option(
        "--inprocess",
        help="Run your own Python bots inside the referee's process, without a sandbox: many "
        "times faster. The records are the same, unless a bot draws from `numpy.random`.",
    ),
]


class UsageError(Exception):
    """A wrong command or option. The message explains how to correct it."""


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: expected errors print one sentence and set the exit status."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        for stream in (sys.stdout, sys.stderr):
            replace_unprintable(stream)
        try:
            command(*args, **kwargs)
        except RecordError as error:
            exit_with_error(str(error), as_json=bool(kwargs.get("as_json")), status=FAILED)
        except (UsageError, FieldError, PackageError, ManifestError) as error:
            exit_with_error(str(error), as_json=bool(kwargs.get("as_json")))
        except SandboxUnavailable as error:
            hint = " Use --trusted to run your own bots without a sandbox."
            exit_with_error(f"{error}{hint}", as_json=bool(kwargs.get("as_json")))
        except RefereeError as error:
            exit_with_error(str(error), as_json=bool(kwargs.get("as_json")))
        except KeyboardInterrupt:
            exit_with_error("Stopped.", as_json=bool(kwargs.get("as_json")))

    return run


def exit_with_error(message: str, *, as_json: bool, status: int = USAGE) -> NoReturn:
    """Print the error and exit with a status."""
    show_error(message, as_json=as_json)
    raise typer.Exit(status)


def show_error(message: str, *, as_json: bool) -> None:
    """Print an error as JSON on standard output, or as text on standard error."""
    if as_json:
        try:
            show_json({"ok": False, "error": message})
        except OutputError as error:
            discard_output()
            message = f"{message} {error}"
        else:
            return
    err.print(message, style="red")


def os_error_text(error: OSError) -> str:
    """A sentence about an error of the operating system, with the file if there is one."""
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"The operating system refused a request: {reason}."
    return f"{one_line(os.fsdecode(error.filename), 200)} cannot be used: {reason}."


def show_json(value: Any) -> None:
    """Print one JSON document on standard output. Raises OutputError."""
    with converted_output_errors():
        typer.echo(escape_json(json.dumps(value, ensure_ascii=False, indent=2)))


def progress_bar(*columns: ProgressColumn, quiet: bool = False) -> Progress:
    """A progress bar that disappears at its end; hidden if `quiet` or stderr is not a terminal."""
    hidden = quiet or not err.is_terminal
    return Progress(*columns, console=err, transient=True, disable=hidden)


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically, so a crash leaves no partial file; OSError as from `write_bytes`.

    Links and devices, such as `/dev/stdout`, are written directly.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_bytes(content)
        return
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def write_record(path: Path, record: Record) -> None:
    """Write a record and create its folder; UsageError if that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, record.dumps().encode() + b"\n")
    except OSError as error:
        raise UsageError(f"The record cannot be written to {path}: {error.strerror}.") from None


def parse_format(text: str) -> Format:
    """Parse a format. Raises UsageError with the accepted formats."""
    try:
        return Format.parse(text)
    except ValueError as error:
        raise UsageError(f"{error} `cardroom formats` lists them all.") from None


def warn_unclaimed(fmt: Format, players: Iterable[SeatedBot]) -> None:
    """Warn about each bot that does not claim the format: it may fail."""
    for package in dict.fromkeys(player.bot for player in players):
        if isinstance(package, Package) and not package.manifest.claims(fmt):
            claims = ", ".join(package.manifest.formats)
            err.print(
                f"{package.name} claims {claims}, not {fmt.game}/{fmt.variant}/{fmt.table}; it is "
                "played anyway. A site would not seat it.",
                style="yellow",
            )


def match_conditions(
    fmt: Format,
    players: Iterable[SeatedBot],
    clock: ClockSettings,
    *,
    trusted: bool,
    in_process: bool,
    variables: Sequence[str] | None = None,
) -> MatchConditions:
    """The conditions of many matches; warns if nothing isolates the bots.

    UsageError if this machine lacks a library that a bot needs, or if `in_process`, but one of
    the bots is not a Python bot.
    """
    players = tuple(players)
    check_libraries(players)
    for player in players:
        if in_process and player.program.command is not None:
            raise UsageError(
                f"--inprocess runs only Python bots; {player.name} is a program. Leave the option "
                "out."
            )
    if in_process:
        warning = "--inprocess: nothing isolates the bots, and nothing limits their memory."
        err.print(warning, style="yellow")
    elif trusted:
        err.print(_TRUSTED, style="yellow")
    return MatchConditions(
        str(fmt),
        players,
        clock,
        trusted=trusted and not in_process,
        in_process=in_process,
        variables=checked_variables(variables, trusted=trusted and not in_process),
    )


def check_libraries(players: Iterable[SeatedBot]) -> None:
    """UsageError if this machine lacks a library that a bot needs."""
    for player in players:
        if names := libraries.missing(player.program.needs):
            raise UsageError(
                f"{player.name} needs {join_words(names)}, which this machine does not offer to "
                f"bots. {libraries.remedy(names)}"
            )


def checked_variables(names: Sequence[str] | None, *, trusted: bool) -> tuple[str, ...]:
    """The names of --env; UsageError if one is not set, or the bots are not trusted."""
    if names and not trusted:
        raise UsageError("--env needs --trusted: bots in a sandbox get no environment.")
    if not all(name in os.environ for name in names or ()):
        # The message omits the name, which may be a secret, given by mistake.
        raise UsageError("--env takes the name of an environment variable that is set.")
    return tuple(names or ())


@contextmanager
def opened_sandbox(
    limits: Limits, *, trusted: bool, warm: int = 0, variables: Sequence[str] | None = None
) -> Iterator[Sandbox]:
    """A sandbox whose bots share one core with this thread, as on the server.

    `variables`: the names of --env; raises as `checked_variables`.
    """
    names = checked_variables(variables, trusted=trusted)
    if trusted:
        err.print(_TRUSTED, style="yellow")
    with sandbox_on_one_core(
        limits, trusted=trusted, warm=warm, cpu=pick_cpu(0), variables=names
    ) as sandbox:
        yield sandbox
