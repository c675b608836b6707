"""`cardroom submit`: upload a bot to a site and wait for its check."""

from __future__ import annotations

import time
import urllib.parse
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import typer

from bots.cli.common import FAILED, AsJson, Server, UsageError, err, guarded, out, show_json
from bots.cli.enter import EntryJSON, entry_of, path_of, refuse_closed
from bots.cli.site import PageJSON, RefusedError, SiteClient
from bots.package.package import Package
from cardroom_base.core.safe_text import one_line


class VersionJSON(TypedDict):
    """A version of a bot, as the site returns it."""

    bot: str
    number: int
    status: str
    digest: str


class StepJSON(TypedDict):
    """A step of a check."""

    name: str
    title: str
    status: str
    text: str
    detail: str


class CheckJSON(TypedDict):
    """The check of a version."""

    status: str
    summary: str
    log: str
    steps: list[StepJSON]


class NamedJSON(TypedDict):
    """A bot in a list."""

    slug: str
    name: str


POLL_S = 1.0
"""Seconds between two requests about a running check."""


@guarded
def submit(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A bot.py, a zip or a folder.")],
    *,
    server: Server,
    name: Annotated[
        str | None, typer.Option(help="The bot's name; default: the one in cardroom.toml.")
    ] = None,
    slug: Annotated[
        str | None,
        typer.Option("--bot", help="The bot to update: its name in its page's address."),
    ] = None,
    notes: Annotated[str, typer.Option(help="Notes on the changes.")] = "",
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            help="A game that the bot is to play; may be repeated. Default: all that it claims.",
        ),
    ] = None,
    tournament: Annotated[
        str | None,
        typer.Option(
            "--enter",
            metavar="TOURNAMENT",
            help="Enter the bot in this tournament once it has passed its check; the token must "
            "allow entering tournaments.",
        ),
    ] = None,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the check.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Upload a bot, and print the log of its check.

    The token in CARDROOM_TOKEN must allow uploads. If you have a bot with the same name, it gets a
    new version. Exit status 1: the check failed or did not finish in time, or the bot could not be
    entered.
    """
    if name is not None and slug is not None:
        raise UsageError("Use --name or --bot, not both: an existing bot already has a name.")
    site = SiteClient.at(
        server, "read, upload and enter tournaments" if tournament else "read and upload"
    )
    package = Package.load(bot)
    if tournament is not None:
        refuse_closed(site, tournament, package)
    bot_slug = slug or _own_bot_slug(site, name or package.name)
    fields = {"notes": notes, "games": games, "name": "" if bot_slug else name or package.name}
    version = _upload(site, package, bot_slug, fields, reuse=tournament is not None)
    if not as_json:
        text = f"{version['bot']} version {version['number']} is {version['status']}."
        err.print(one_line(text))
    check = _await_check(site, version, time.monotonic() + wait, quiet=as_json)
    page = site.page(f"bots/{urllib.parse.quote(version['bot'])}/")
    is_ready = check["status"] == "ready"
    if not as_json:
        _show(check)
    entry_outcome = (
        _enter(site, tournament, version["bot"]) if tournament and is_ready else _EntryOutcome()
    )
    if as_json:
        ok = is_ready and not entry_outcome.error
        result = {"ok": ok, "version": version, "check": check, "page": page}
        show_json(result | (entry_outcome.as_json() if tournament else {}))
    else:
        _show_next(site, version, page, ready=is_ready and not tournament)
        if tournament:
            _show_entry(site, tournament, version, entry_outcome, ready=is_ready)
    if not is_ready or entry_outcome.error:
        raise typer.Exit(FAILED)


@dataclass(frozen=True, slots=True)
class _EntryOutcome:
    """The outcome of `--enter`."""

    entry: EntryJSON | None = None
    error: str = ""
    """The site's reason for refusing the entry; empty if it did not."""

    def as_json(self) -> dict[str, Any]:
        return {"entry": self.entry} | ({"error": self.error} if self.error else {})


def _enter(site: SiteClient, tournament: str, bot: str) -> _EntryOutcome:
    try:
        return _EntryOutcome(entry_of(site, tournament, bot))
    except RefusedError as error:
        return _EntryOutcome(error=str(error))


def _show_entry(
    site: SiteClient,
    tournament: str,
    version: VersionJSON,
    entry_outcome: _EntryOutcome,
    *,
    ready: bool,
) -> None:
    bot, number = version["bot"], version["number"]
    if not ready:
        out.print(one_line(f"It was not entered in {tournament}."), style="red")
    elif entry_outcome.entry is None:
        text = (
            f"It is uploaded and checked, but was not entered in {tournament}. "
            f"{entry_outcome.error} "
            "You can repeat the command: the same files are not uploaded twice."
        )
        out.print(one_line(text), style="red")
    else:
        played_version = entry_outcome.entry["version"]
        out.print(
            one_line(f"{bot} plays in {tournament} with version {played_version}."), style="green"
        )
        if played_version != number:
            out.print(f"Version {number} plays there once you make it active on the bot's page.")
        out.print(one_line(f"Standings and ratings: {site.page(path_of(tournament))}"))


def _upload(
    site: SiteClient, package: Package, bot_slug: str | None, fields: dict[str, Any], *, reuse: bool
) -> VersionJSON:
    """Upload the package as a new version of bot `bot_slug`, or as a new bot; return the version.

    `reuse`: return the bot's version with the same files if there is one.
    """
    path = f"bots/{urllib.parse.quote(bot_slug)}/versions/" if bot_slug else "bots/"
    files = {"package": ("bot.zip", package.to_bytes(), "application/zip")}
    data = {key: value for key, value in fields.items() if value}
    try:
        return site.post(path, VersionJSON, data=data, files=files)
    except RefusedError as error:
        if not (reuse and bot_slug and error.code == "duplicate"):
            raise
        versions = site.get(path, PageJSON[VersionJSON])["results"]
        for version in versions:
            if version["digest"] == package.digest and version["status"] != "rejected":
                return version
        raise


def _own_bot_slug(site: SiteClient, name: str) -> str | None:
    """The slug of the user's bot with exactly this name, if there is one."""
    bots = site.get("bots/", PageJSON[NamedJSON], name=name)["results"]
    return next((bot["slug"] for bot in bots if bot["name"] == name), None)


def _await_check(site: SiteClient, version: VersionJSON, until: float, *, quiet: bool) -> CheckJSON:
    """The check when it is finished, or its state at the deadline."""
    path = f"bots/{urllib.parse.quote(version['bot'])}/versions/{version['number']}/check/"
    printed: set[str] = set()
    while True:
        check = site.get(path, CheckJSON)
        if not quiet:
            _print_steps(check, printed)
        if check["status"] in {"ready", "rejected"} or time.monotonic() > until:
            return check
        time.sleep(POLL_S)


def _print_steps(check: CheckJSON, printed: set[str]) -> None:
    for step in check["steps"]:
        if step["status"] in {"ok", "failed"} and step["name"] not in printed:
            printed.add(step["name"])
            mark = "✓" if step["status"] == "ok" else "✗"
            err.print(one_line(f"{mark} {step['title']}  {step['text']}"))


def _show(check: CheckJSON) -> None:
    if check["status"] not in {"ready", "rejected"}:
        text = f"The check is still {check['status']}; see the bot's page later."
        out.print(one_line(text))
        return
    is_ready = check["status"] == "ready"
    out.print(one_line(check["summary"]), style="green" if is_ready else "red")
    for step in check["steps"]:
        if step["status"] == "failed" and step["detail"]:
            out.print(step["detail"])
    if check["log"]:
        out.print("The bot's log:", style="bold")
        out.print(check["log"].rstrip())


def _show_next(site: SiteClient, version: VersionJSON, page: str, *, ready: bool) -> None:
    """Print the bot's page, and how to enter it in a tournament."""
    out.print()
    out.print(one_line(f"The bot's page: {page}"))
    if not ready:
        return
    if version["number"] > 1:
        out.print("This version plays once you make it active on that page.")
    server = site.page("").rstrip("/")
    out.print("The bot is rated once it plays. Enter it:", style="bold")
    out.print(one_line(f"  cardroom enter TOURNAMENT {version['bot']} --server {server}"))
    out.print("Without tournament and bot, that command lists the open tournaments.")
