"""`cardroom enter`: enter a bot in a tournament of a site, or list tournaments open for entry."""

from __future__ import annotations

import urllib.parse
from typing import Annotated, TypedDict

import typer

from bots.cli.common import AsJson, PlainTable, Server, UsageError, guarded, out, show_json
from bots.cli.site import PageJSON, RefusedError, SiteClient
from bots.package.package import Package
from cardroom_base.core.safe_text import one_line
from engine import Format

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
        typer.Argument(metavar="TOURNAMENT", help="The tournament's name in its page's address."),
    ] = None,
    bot: Annotated[
        str | None, typer.Argument(metavar="BOT", help="Your bot's name in its page's address.")
    ] = None,
    *,
    server: Server,
    as_json: AsJson = False,
) -> None:
    """Enter your bot in a tournament, or list those open for entry.

    The token in CARDROOM_TOKEN must allow entering tournaments.
    """
    if tournament is None:
        _list(SiteClient.at(server, "read"), as_json=as_json)
        return
    if bot is None:
        raise UsageError("Name the bot: cardroom enter TOURNAMENT BOT --server URL.")
    site = SiteClient.at(server, "read, and enter tournaments")
    path = path_of(tournament)
    entry = site.post(f"{path}entries/", EntryJSON, json={"bot": bot})
    if as_json:
        show_json({"ok": True, "entry": entry, "page": site.page(path)})
        return
    out.print(one_line(f"{bot} version {entry['version']} has entered {tournament}."))
    out.print(one_line(f"Standings and ratings: {site.page(path)}"))


def path_of(tournament: str) -> str:
    """The path of a tournament in REST, and of its page."""
    return f"tournaments/{urllib.parse.quote(tournament, safe='')}/"


def refuse_closed(site: SiteClient, slug: str, package: Package) -> None:
    """Raise UsageError if the tournament does not exist, is closed to entries, or has a format that
    the package does not claim."""
    hint = "`cardroom enter --server URL` lists the tournaments that accept entries."
    try:
        tournament = site.get(path_of(slug), TournamentJSON)
    except RefusedError as error:
        if error.code != "not-found":
            raise
        raise UsageError(f"There is no tournament {slug}. {hint}") from None
    if not _accepts_entries(tournament):
        raise UsageError(f"{slug} is closed to entries: it is {tournament['state']}. {hint}")
    try:
        claims = package.manifest.claims(Format.parse(tournament["format"]))
    except ValueError:  # a format that this program does not have
        return
    if not claims:
        raise UsageError(
            f"{slug} plays {tournament['format']}, which {package.name} does not claim; it claims "
            f"{', '.join(package.manifest.formats)}."
        )


def entry_of(site: SiteClient, tournament: str, bot: str) -> EntryJSON:
    """Enter the bot, unless it has entered already; return its entry. Raises RefusedError."""
    path = f"{path_of(tournament)}entries/"
    try:
        return site.post(path, EntryJSON, json={"bot": bot})
    except RefusedError as error:
        if error.code != "duplicate":
            raise
        return site.get(f"{path}{urllib.parse.quote(bot)}/", EntryJSON)


def _list(site: SiteClient, *, as_json: bool) -> None:
    """List the tournaments that accept entries now: open ones, and running ladders."""
    rows = [
        *_tournaments(site, "open"),
        *filter(_accepts_entries, _tournaments(site, "running")),
    ]
    if as_json:
        show_json(rows)
        return
    if not rows:
        out.print("No tournament is open to entries now.")
        return
    table = PlainTable("tournament", "format", "system", "state", "name")
    for row in rows:
        cells = (row["slug"], row["format"], row["system"], row["state"], row["name"])
        table.add_row(*map(one_line, cells))
    out.print(table)


def _accepts_entries(tournament: TournamentJSON) -> bool:
    is_running_ladder = tournament["state"] == "running" and tournament["system"] == LADDER
    return is_running_ladder or tournament["state"] == "open"


def _tournaments(site: SiteClient, state: str) -> list[TournamentJSON]:
    """One page of the tournaments in a state, newest first."""
    return site.get("tournaments/", PageJSON[TournamentJSON], state=state)["results"]
