"""`cardroom enter`: enter a bot in a tournament of a site, or list tournaments open for entry."""

from __future__ import annotations

import urllib.parse
from typing import Annotated, TypedDict

import typer
from rich.table import Table

from bots.cli.common import AsJson, UsageError, guarded, out, show_json
from bots.cli.site import PageJSON, Site
from bots.cli.submit import Server
from cardroom_base.core.safe_text import one_line

LADDER = "ladder"
"""The pairing system of tournaments that bots may enter while they run."""


class TournamentJSON(TypedDict):
    """A tournament in a list."""

    slug: str
    name: str
    format: str
    system: str
    state: str


class EntryJSON(TypedDict):
    """The entry of a bot."""

    version: int


@guarded
def enter(
    tournament: Annotated[
        str | None,
        typer.Argument(
            metavar="TOURNAMENT", help="The tournament's name in addresses; without it, list them."
        ),
    ] = None,
    bot: Annotated[
        str | None, typer.Argument(metavar="BOT", help="Your bot's name in addresses.")
    ] = None,
    *,
    server: Server,
    as_json: AsJson = False,
) -> None:
    """Enter your bot in a tournament; without arguments, list the tournaments open for entry.

    The token in CARDROOM_TOKEN must allow entering tournaments.
    """
    if tournament is None:
        _list(Site.at(server, "read"), as_json=as_json)
        return
    if bot is None:
        raise UsageError("Name the bot: cardroom enter TOURNAMENT BOT --server URL.")
    site = Site.at(server, "read, and enter tournaments")
    path = f"tournaments/{urllib.parse.quote(tournament, safe='')}/"
    entry = site.post(f"{path}entries/", EntryJSON, json={"bot": bot})
    if as_json:
        show_json({"ok": True, "entry": entry, "page": site.page(path)})
        return
    out.print(one_line(f"{bot} version {entry['version']} has entered {tournament}."))
    out.print(one_line(f"Standings and ratings: {site.page(path)}"))


def _list(site: Site, *, as_json: bool) -> None:
    """The tournaments that take bots now: open ones, and running ladders."""
    rows = [
        *_tournaments(site, "open"),
        *(
            tournament
            for tournament in _tournaments(site, "running")
            if tournament["system"] == LADDER
        ),
    ]
    if as_json:
        show_json(rows)
        return
    if not rows:
        out.print("No tournament takes bots now.")
        return
    table = Table("tournament", "format", "system", "state", "name", box=None, pad_edge=False)
    for row in rows:
        cells = (row["slug"], row["format"], row["system"], row["state"], row["name"])
        table.add_row(*map(one_line, cells))
    out.print(table)


def _tournaments(site: Site, state: str) -> list[TournamentJSON]:
    """One page of the tournaments in a state, newest first."""
    return site.get("tournaments/", PageJSON[TournamentJSON], state=state)["results"]
