"""`cardroom schema`: print JSON Schemas of protocol lines, records and views."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.cli.common import AsJson, PlainTable, UsageError, guarded, out, show_json
from bots.schemas.documents import descriptions, names
from bots.schemas.documents import schema as document


def _complete(incomplete: str) -> list[str]:
    return [name for name in names() if name.startswith(incomplete)]


@guarded
def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A document, such as move, record or cassino-view; without it, list them all.",
            autocompletion=_complete,
        ),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Print a JSON Schema of protocol, records, views or events."""
    if name is None:
        _list(as_json=as_json)
    elif name in names():
        show_json(document(name))
    else:
        raise UsageError(f"No schema is called {name[:60]!r}. There are {', '.join(names())}.")


def _list(*, as_json: bool) -> None:
    if as_json:
        show_json([{"name": name, "description": text} for name, text in descriptions().items()])
        return
    table = PlainTable("schema", "describes")
    for row in descriptions().items():
        table.add_row(*row)
    out.print(table)
