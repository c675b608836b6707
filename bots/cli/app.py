"""The program `cardroom` and its commands."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from bots.cli.analyse import analyse
from bots.cli.bench import bench
from bots.cli.catalogue import formats, rules
from bots.cli.challenge import challenge
from bots.cli.check import check
from bots.cli.common import USAGE, os_error_text, out, show_error
from bots.cli.enter import enter
from bots.cli.new import new
from bots.cli.replay import replay
from bots.cli.schema import schema
from bots.cli.submit import submit
from bots.cli.table import table
from bots.cli.test import test
from bots.cli.verify import verify
from cardroom_base.core import compiled
from cardroom_base.core.safe_text import OutputError, discard_output

GONE = {
    "ask": "test BOT FILE",
    "position": "replay FILE#move-N --json",
    "rerun": "test BOT FILE --seat N",
    "replay --bot": "test BOT FILE --seat N --no-expert",
}
"""Commands from before version 0.1.0, and the commands that replace them."""


_INTERRUPTED = 130
"""Typer's exit status after Ctrl-C outside a command."""


class Commands(TyperGroup):
    """The commands; a removed command fails with a message that names its replacement."""

    def main(  # type: ignore[override] # callers name the other parameters
        self, args: Sequence[str] | None = None, **options: Any
    ) -> NoReturn:
        """Run a command and exit. With --json, errors in options are JSON, too."""
        arguments = list(sys.argv[1:] if args is None else args)
        as_json, status = _asks_for_json(arguments), USAGE
        try:
            sys.exit(super().main(arguments, standalone_mode=not as_json, **options))
        except SystemExit as error:
            if error.code != _INTERRUPTED:
                raise
            message = "Stopped."
        except TyperException as error:
            message, status = error.format_message(), error.exit_code
        except OutputError as error:
            discard_output()
            message, as_json = str(error), False
        except OSError as error:
            message = os_error_text(error)
        show_error(message, as_json=as_json)
        sys.exit(status)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, unless it has been removed."""
        has_bot = any(word.partition("=")[0] == "--bot" for word in args)
        name = "replay --bot" if args[0] == "replay" and has_bot else args[0]
        if name in GONE:
            ctx.fail(f"`cardroom {name}` is now `cardroom {GONE[name]}`.")
        return super().resolve_command(ctx, args)


def _asks_for_json(arguments: list[str]) -> bool:
    """Whether the arguments contain the option --json."""
    options = itertools.takewhile(lambda argument: argument != "--", arguments)
    return "--json" in options


app = typer.Typer(
    name="cardroom",
    cls=Commands,
    help="Write a card-playing bot, play matches, check the bot, submit it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(*, requested: bool) -> None:
    if requested:
        out.print(f"Cardroom {version('cardroom')}, rules {compiled.kind()}")
        raise typer.Exit


@app.callback()
def _common(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the version, and whether the rules run compiled or interpreted.",
        ),
    ] = False,
) -> None:
    """Options of the program itself."""


for _command in (
    formats,
    rules,
    schema,
    new,
    check,
    replay,
    test,
    analyse,
    table,
    verify,
    submit,
    enter,
    challenge,
    bench,
):
    app.command()(_command)
