"""`cardroom submit`: upload a bot to a site and wait for its check."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any

import typer

from bots.cli import web
from bots.cli.common import FAILED, AsJson, UsageError, err, guarded, out, show_json
from bots.limits import MAX_ANSWER, MAX_PROBLEM, human
from bots.package import Package
from bots.terminal import one_line
from engine.json_text import parse_json

TOKEN = "CARDROOM_TOKEN"  # noqa: S105 - the name of a variable, not a token
Shape = Mapping[str, type | UnionType]
VERSION: Shape = {"bot": str, "number": int, "status": str}
CHECK: Shape = {"status": str, "summary": str, "log": str, "steps": list}
STEP: Shape = {"name": str, "title": str, "status": str, "text": str, "detail": str}
POLL_S = 1.0
"""Between two looks at a running check."""


@guarded
def submit(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A bot.py, a zip or a folder.")],
    *,
    server: Annotated[str, typer.Option(help="The site, such as https://cards.example.org.")],
    slug: Annotated[
        str | None, typer.Option("--bot", help="Address name of your bot that gets a new version.")
    ] = None,
    notes: Annotated[str, typer.Option(help="What changed.")] = "",
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the check.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Upload a bot; its token comes from CARDROOM_TOKEN. Prints the check's log.

    A bot of yours with the same name gets a new version. Exit status 1: the check failed, or did
    not finish in time.
    """
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise UsageError(
            f"Set {TOKEN} to a token that may read and upload; your account page on {server} "
            "makes them."
        )
    package = Package.load(bot)
    site = Site(_root(server), token)
    version = _upload(site, package, slug, notes)
    if not as_json:
        words = f"{version['bot']} version {version['number']} is {version['status']}."
        err.print(one_line(words))
    check = _wait(site, version, time.monotonic() + wait, quiet=as_json)
    if as_json:
        show_json({"ok": check["status"] == "ready", "version": version, "check": check})
    else:
        _show(check)
    if check["status"] != "ready":
        raise typer.Exit(FAILED)


@dataclass(frozen=True, slots=True)
class Site:
    """The REST interface of a site."""

    root: str
    """Address of `/api/v1/`."""
    token: str

    def get(self, path: str) -> Any:
        """The JSON at a path; UsageError says what the site says."""
        return self._send(urllib.request.Request(self.root + path))  # noqa: S310 - `_root` allows http and https only

    def post(self, path: str, fields: dict[str, str], package: bytes) -> Any:
        """Send a form with the package; the JSON of the answer."""
        boundary = secrets.token_hex(16)
        body = _form(boundary, fields, package)
        kind = f"multipart/form-data; boundary={boundary}"
        request = urllib.request.Request(  # noqa: S310 - `_root` allows http and https only
            self.root + path, data=body, headers={"Content-Type": kind}
        )
        return self._send(request)

    def _send(self, request: urllib.request.Request) -> Any:
        request.add_header("Authorization", f"Token {self.token}")
        request.add_header("Accept", "application/json")
        try:
            return parse_json(_whole(request), MAX_ANSWER)
        except urllib.error.HTTPError as error:
            raise UsageError(_refusal(error)) from None
        except urllib.error.URLError as error:
            raise UsageError(f"{self.root} cannot be reached: {error.reason}.") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise UsageError(f"{self.root} does not answer as a Cardroom site: {error}.") from None

    def shaped(self, value: object, shape: Shape) -> dict[str, Any]:
        """The value, if it is an object with such fields; UsageError if it is none."""
        if not isinstance(value, dict) or not all(
            isinstance(value.get(key), kind) for key, kind in shape.items()
        ):
            raise UsageError(f"{self.root} does not answer as a Cardroom site.")
        return value


def _whole(request: urllib.request.Request) -> bytes:
    """The answer; ValueError when it is too long. It stays at its site, as the token must."""
    found = bytearray()
    for piece in web.answer(request, web.Stays):
        found += piece
        if len(found) > MAX_ANSWER:
            raise ValueError(f"it sends more than {human(MAX_ANSWER)}")
    return bytes(found)


def _root(server: str) -> str:
    parts = urllib.parse.urlsplit(server if "://" in server else f"https://{server}")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise UsageError(f"{server!r} is not an address such as https://cards.example.org.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/v1/"


def _upload(site: Site, package: Package, slug: str | None, notes: str) -> dict[str, Any]:
    """Send the package as a new version of the bot, or as a new bot; the version made."""
    known = slug or _find(site, package.name)
    content = package.to_bytes()
    if known:
        path = f"bots/{urllib.parse.quote(known)}/versions/"
        version = site.post(path, {"notes": notes}, content)
    else:
        version = site.post("bots/", {"notes": notes, "name": package.name}, content)
    return site.shaped(version, VERSION)


def _find(site: Site, name: str) -> str | None:
    """The address name of the bot that is called exactly so, if there is one."""
    page = site.get(f"bots/?{urllib.parse.urlencode({'name': name})}")
    listed = site.shaped(page, {"results": list})["results"]
    bots = [site.shaped(bot, {"slug": str, "name": str}) for bot in listed]
    return next((bot["slug"] for bot in bots if bot["name"] == name), None)


def _wait(site: Site, version: dict[str, Any], until: float, *, quiet: bool) -> dict[str, Any]:
    """The check when it has finished, or as it stands when time is up."""
    path = f"bots/{urllib.parse.quote(version['bot'])}/versions/{version['number']}/check/"
    told: set[str] = set()
    while True:
        check = site.shaped(site.get(path), CHECK)
        for step in check["steps"]:
            site.shaped(step, STEP)
        if not quiet:
            _tell(check, told)
        if check["status"] in {"ready", "rejected"} or time.monotonic() > until:
            return check
        time.sleep(POLL_S)


def _tell(check: dict[str, Any], told: set[str]) -> None:
    for step in check["steps"]:
        if step["status"] in {"ok", "failed"} and step["name"] not in told:
            told.add(step["name"])
            mark = "✓" if step["status"] == "ok" else "✗"
            err.print(one_line(f"{mark} {step['title']}  {step['text']}"))


def _show(check: dict[str, Any]) -> None:
    if check["status"] not in {"ready", "rejected"}:
        words = f"The check is still {check['status']}; look at the bot's page later."
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


def _form(boundary: str, fields: dict[str, str], package: bytes) -> bytes:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in fields.items()
        if value
    ]
    head = (
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="package"; filename="bot.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    return "".join([*parts, head]).encode() + package + f"\r\n--{boundary}--\r\n".encode()


def _refusal(error: urllib.error.HTTPError) -> str:
    """What a site says when it refuses: its problem details, else the status."""
    try:
        problem = parse_json(error.read(MAX_PROBLEM), MAX_PROBLEM)
    except (OSError, ValueError):
        problem = None
    if not isinstance(problem, dict):
        return one_line(f"The site answers {error.code} {error.reason}.")
    said = str(problem.get("detail") or problem.get("title") or error.reason)
    fields = problem.get("errors")
    extra = f" {json.dumps(fields, ensure_ascii=False)}" if fields else ""
    return one_line(f"The site refuses ({error.code}): {said}{extra}")
