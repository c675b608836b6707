"""`cardroom submit`: upload a bot to a site and wait for its check."""

from __future__ import annotations

import json
import os
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from bots.cli.common import FAILED, AsJson, UsageError, err, guarded, out, show_json
from bots.cli.sources import TIMEOUT_S
from bots.package import Package

TOKEN = "CARDROOM_TOKEN"  # noqa: S105 - the name of a variable, not a token
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
        raise UsageError(f"Set {TOKEN} to the token from your account page on {server}.")
    package = Package.load(bot)
    site = Site(_root(server), token)
    version = _upload(site, package, slug, notes)
    if not as_json:
        words = f"{version['bot']} version {version['number']} is {version['status']}."
        err.print(words, markup=False)
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
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - `_root` allows http and https only
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise UsageError(_refusal(error)) from None
        except urllib.error.URLError as error:
            raise UsageError(f"{self.root} cannot be reached: {error.reason}.") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{self.root} does not answer as a Cardroom site: {error}.") from None


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
    if not isinstance(version, dict) or not {"bot", "number", "status"} <= version.keys():
        raise UsageError(f"{site.root} does not answer as a Cardroom site.")
    return version


def _find(site: Site, name: str) -> str | None:
    """The address name of the bot that is called exactly so, if there is one."""
    page = site.get(f"bots/?{urllib.parse.urlencode({'name': name})}")
    listed = page.get("results", []) if isinstance(page, dict) else []
    return next((bot["slug"] for bot in listed if bot.get("name") == name), None)


def _wait(site: Site, version: dict[str, Any], until: float, *, quiet: bool) -> dict[str, Any]:
    """The check when it has finished, or as it stands when time is up."""
    path = f"bots/{version['bot']}/versions/{version['number']}/check/"
    told: set[str] = set()
    while True:
        check: dict[str, Any] = site.get(path)
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
            err.print(f"{mark} {step['title']}  {step['text']}", markup=False)


def _show(check: dict[str, Any]) -> None:
    if check["status"] not in {"ready", "rejected"}:
        words = f"The check is still {check['status']}; look at the bot's page later."
        out.print(words, markup=False)
        return
    ready = check["status"] == "ready"
    out.print(check["summary"], style="green" if ready else "red", markup=False)
    for step in check["steps"]:
        if step["status"] == "failed" and step["detail"]:
            out.print(step["detail"], markup=False)
    if check["log"]:
        out.print("The bot's log:", style="bold")
        out.print(check["log"].rstrip(), markup=False)


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
        problem = json.loads(error.read(65_536))
    except (OSError, ValueError):
        problem = None
    if not isinstance(problem, dict):
        return f"The site answers {error.code} {error.reason}."
    said = str(problem.get("detail") or problem.get("title") or error.reason)
    fields = problem.get("errors")
    extra = f" {json.dumps(fields, ensure_ascii=False)}" if fields else ""
    return f"The site refuses ({error.code}): {said}{extra}"
