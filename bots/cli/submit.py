"""`cardroom submit`: upload a bot to a site and wait for its check."""

from __future__ import annotations

import time
import urllib.parse
from typing import Annotated, Any, TypedDict

import typer

from bots.cli.common import FAILED, AsJson, UsageError, err, guarded, out, show_json
from bots.cli.site import PageJSON, Site
from bots.package.package import Package
from cardroom_base.core.safe_text import one_line


class VersionJSON(TypedDict):
    """A version of a bot, as the site returns it."""

    bot: str
    number: int
    status: str


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
Server = Annotated[str, typer.Option(help="The site, such as https://cards.example.org.")]


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
        typer.Option("--bot", help="The bot that gets a new version, by its name in addresses."),
    ] = None,
    notes: Annotated[str, typer.Option(help="Notes on the changes.")] = "",
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            help="A game that the bot shall play; may be repeated. Default: all that it claims.",
        ),
    ] = None,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the check.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Upload a bot with the token in CARDROOM_TOKEN, and print the log of its check.

    If you have a bot with the same name, it gets a new version. Exit status 1: the check failed or
    did not finish in time.
    """
    if name is not None and slug is not None:
        raise UsageError("Use --name or --bot, not both: an existing bot already has a name.")
    site = Site.at(server, "read and upload")
    package = Package.load(bot)
    target = slug or _find(site, name or package.name)
    fields = {"notes": notes, "games": games, "name": "" if target else name or package.name}
    version = _upload(site, package, target, fields)
    if not as_json:
        words = f"{version['bot']} version {version['number']} is {version['status']}."
        err.print(one_line(words))
    check = _wait(site, version, time.monotonic() + wait, quiet=as_json)
    page = site.page(f"bots/{urllib.parse.quote(version['bot'])}/")
    if as_json:
        ok = check["status"] == "ready"
        show_json({"ok": ok, "version": version, "check": check, "page": page})
    else:
        _show(check)
        _show_next(site, version, page, ready=check["status"] == "ready")
    if check["status"] != "ready":
        raise typer.Exit(FAILED)


def _upload(
    site: Site, package: Package, target: str | None, fields: dict[str, Any]
) -> VersionJSON:
    """Upload the package as a new version of bot `target`, or as a new bot; return the version."""
    path = f"bots/{urllib.parse.quote(target)}/versions/" if target else "bots/"
    files = {"package": ("bot.zip", package.to_bytes(), "application/zip")}
    data = {key: value for key, value in fields.items() if value}
    return site.post(path, VersionJSON, data=data, files=files)


def _find(site: Site, name: str) -> str | None:
    """The slug of the user's bot with exactly this name, if there is one."""
    bots = site.get("bots/", PageJSON[NamedJSON], name=name)["results"]
    return next((bot["slug"] for bot in bots if bot["name"] == name), None)


def _wait(site: Site, version: VersionJSON, until: float, *, quiet: bool) -> CheckJSON:
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
        words = f"The check is still {check['status']}; see the bot's page later."
        out.print(one_line(words))
        return
    ready = check["status"] == "ready"
    out.print(one_line(check["summary"]), style="green" if ready else "red")
    for step in check["steps"]:
        if step["status"] == "failed" and step["detail"]:
            out.print(step["detail"])
    if check["log"]:
        out.print("The bot's log:", style="bold")
        out.print(check["log"].rstrip())


def _show_next(site: Site, version: VersionJSON, page: str, *, ready: bool) -> None:
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
