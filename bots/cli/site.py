"""The REST interface of a site, asked with a token."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Self

from bots.cli import web
from bots.cli.common import UsageError
from bots.limits import MAX_ANSWER, MAX_PROBLEM, human
from cardroom_base.core.safe_text import one_line
from engine.json_text import parse_json

TOKEN = "CARDROOM_TOKEN"  # noqa: S105 - the name of a variable, not a token
Shape = Mapping[str, type | UnionType]


@dataclass(frozen=True, slots=True)
class Site:
    """The REST interface of a site."""

    root: str
    """Address of `/api/v1/`."""
    token: str

    @classmethod
    def at(cls, server: str, scopes: str) -> Self:
        """The site at an address, with the token of CARDROOM_TOKEN; UsageError if one is missing.

        `scopes` says what the token has to allow, in words.
        """
        root = _root(server)
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            page = f"{root.removesuffix('api/v1/')}account/"
            raise UsageError(
                f"Set {TOKEN} to a token that may {scopes}; make one on your account page: {page}"
            )
        return cls(root, token)

    def page(self, path: str) -> str:
        """Address of a page for people."""
        return self.root.removesuffix("api/v1/") + path

    def get(self, path: str) -> Any:
        """The JSON at a path; UsageError says what the site says."""
        return self._send(urllib.request.Request(self.root + path))  # noqa: S310 - `_root` allows http and https only

    def post(self, path: str, body: bytes, kind: str = "application/json") -> Any:
        """Send a body of some type; the JSON of the answer."""
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
        """The value, if it is an object with such fields; UsageError if it is not."""
        if not isinstance(value, dict) or not all(
            isinstance(value.get(key), kind) for key, kind in shape.items()
        ):
            raise UsageError(f"{self.root} does not answer as a Cardroom site.")
        return value


def _whole(request: urllib.request.Request) -> bytes:
    """The answer; ValueError when it is too long. No redirects: the token is for this site only."""
    found = bytearray()
    for piece in web.answer(request, web.Stays):
        found += piece
        if len(found) > MAX_ANSWER:
            raise ValueError(f"it sends more than {human(MAX_ANSWER)}")
    return bytes(found)


def _root(server: str) -> str:
    wrong = UsageError(f"{server!r} is not an address such as https://cards.example.org.")
    try:
        parts = urllib.parse.urlsplit(server if "://" in server else f"https://{server}")
    except ValueError:
        raise wrong from None
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise wrong
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/v1/"


def _refusal(error: urllib.error.HTTPError) -> str:
    """What a site says when it refuses: its problem details, else the status."""
    try:
        problem = parse_json(error.read(MAX_PROBLEM), MAX_PROBLEM)
    except (OSError, ValueError, http.client.HTTPException):
        problem = None
    if not isinstance(problem, dict):
        return one_line(f"The site answers {error.code} {error.reason}.")
    said = str(problem.get("detail") or problem.get("title") or error.reason)
    more = (words for words in _sentences(problem.get("errors")) if words not in said)
    return one_line(" ".join([f"The site refuses ({error.code}): {said}", *more]))


def _sentences(errors: object) -> Iterable[str]:
    """What is wrong with each field, one sentence each; anything else as JSON."""
    if not isinstance(errors, dict):
        return [json.dumps(errors, ensure_ascii=False)] if errors else []
    return [
        sentence if isinstance(sentence, str) else json.dumps(sentence, ensure_ascii=False)
        for found in errors.values()
        for sentence in (found if isinstance(found, list) else [found])
    ]
