"""The program `cardroom` and its commands."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bots.cli.analyse import analyse
from bots.cli.bench import bench
from bots.cli.catalogue import formats, rules
from bots.cli.challenge import challenge
from bots.cli.check import check
from bots.cli.enter import enter
from bots.cli.new import new
from bots.cli.replay import replay
from bots.cli.schema import schema
from bots.cli.submit import submit
from bots.cli.table import table
from bots.cli.test import test
from bots.cli.verify import verify
from cardroom_base.core import compiled

GONE = {
    "ask": "test BOT FILE",
    "position": "replay FILE#move-N --json",
    "rerun": "test BOT FILE --seat N",
    "replay --bot": "test BOT FILE --seat N --no-expert",
}
"""Commands from before version 0.1.0, and the commands that replace them."""


class Commands(TyperGroup):
    """The commands; a removed command fails with a message that names its replacement."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, unless it has been removed."""
        has_bot = any(word.partition("=")[0] == "--bot" for word in args)
        name = "replay --bot" if args[0] == "replay" and has_bot else args[0]
        if name in GONE:
            ctx.fail(f"`cardroom {name}` is now `cardroom {GONE[name]}`.")
        return super().resolve_command(ctx, args)


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
        typer.echo(f"Cardroom {version('cardroom')}, rules {compiled.kind()}")
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
