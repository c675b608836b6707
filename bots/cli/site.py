"""A client of a site's REST interface, with a token."""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypedDict, TypeVar, cast

from bots.cli import http_client
from bots.cli.common import UsageError
from bots.limits import MAX_ANSWER, MAX_PROBLEM, size_text
from cardroom_base.core.json_shapes import convert_json
from cardroom_base.core.safe_text import one_line
from engine.json_text import JSONError, parse_json

T = TypeVar("T")

TOKEN = "CARDROOM_TOKEN"  # noqa: S105 - the name of a variable, not a token


class PageJSON(TypedDict, Generic[T]):
    """A page of a list."""

    results: list[T]


class RefusedError(UsageError):
    """The site refused a request; the message has the status and the reason."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code
        """The problem's code, such as `duplicate`; empty if the site sends none."""


@dataclass(frozen=True, slots=True)
class SiteClient:
    """The REST interface of a site."""

    root: str
    """The address of the site's `/api/v1/`."""
    token: str

    @classmethod
    def at(cls, server: str, scopes: str) -> Self:
        """The site at an address, with the token from CARDROOM_TOKEN; UsageError if there is none.

        `scopes`: text that describes what the token must allow.
        """
        root = _api_root(server)
        token = os.environ.get(TOKEN, "").strip()
        if not token or not (token.isascii() and token.isprintable()):
            page = f"{root.removesuffix('api/v1/')}account/"
            raise UsageError(
                f"Set {TOKEN} to a token that may {scopes}; create one on your account page: {page}"
            )
        return cls(root, token)

    def page(self, path: str) -> str:
        """The address of a page."""
        return self.root.removesuffix("api/v1/") + path

    def get(self, path: str, kind: type[T], **params: str) -> T:
        """The JSON at a path, checked against `kind`; RefusedError if the site refuses."""
        return self._send("GET", path, kind, params=params or None)

    def post(self, path: str, kind: type[T], **content: Any) -> T:
        """The JSON that answers `content`: `json`, or `data` and `files`, as httpx sends them."""
        return self._send("POST", path, kind, **content)

    def _send(self, method: str, path: str, kind: type[T], **content: Any) -> T:
        headers = {"Authorization": f"Token {self.token}", "Accept": "application/json"}
        body, url = bytearray(), self.root + path
        with http_client.send(method, url, name=self.root, headers=headers, **content) as response:
            for chunk in http_client.chunks(response, self.root):
                body += chunk
                if len(body) > MAX_ANSWER:
                    raise self._not_a_site(f"it sent more than {size_text(MAX_ANSWER)}.")
        if not response.is_success:
            raise _refusal(response.status_code, response.reason_phrase, bytes(body))
        try:
            value = parse_json(bytes(body), MAX_ANSWER)
            convert_json(value, kind)
        except ValueError as error:
            raise self._not_a_site(str(error)) from None
        return cast(T, value)  # it still has the fields that `kind` does not name

    def _not_a_site(self, reason: str) -> UsageError:
        return UsageError(f"{self.root} does not answer as a Cardroom site: {reason}")


def _api_root(server: str) -> str:
    usage_error = UsageError(f"{server!r} is not an address such as https://cards.example.org.")
    try:
        parts = urllib.parse.urlsplit(server if "://" in server else f"https://{server}")
        if "://" not in server and parts.hostname in {"localhost", "127.0.0.1", "::1"}:
            parts = parts._replace(scheme="http")  # a site on this machine, such as a demo
    except ValueError:
        raise usage_error from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise usage_error
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/v1/"


def _refusal(status: int, reason: str, content: bytes) -> RefusedError:
    """The site's problem details, or else the status."""
    try:
        problem = parse_json(content, MAX_PROBLEM)
    except JSONError:
        problem = None
    if not isinstance(problem, dict):
        return RefusedError(one_line(f"The site answered {status} {reason}."))
    reason_text = str(problem.get("detail") or problem.get("title") or reason)
    other_errors = (
        words for words in _sentences(problem.get("errors")) if words not in reason_text
    )
    words = [f"The site refused this ({status}): {reason_text}", *other_errors]
    code = str(problem.get("type", "")).removeprefix("urn:cardroom:problem:")
    return RefusedError(one_line(" ".join(words)), code)


def _sentences(errors: object) -> Iterable[str]:
    """The errors of each field, one sentence each; anything else as JSON."""
    if not isinstance(errors, dict):
        return [json.dumps(errors, ensure_ascii=False)] if errors else []
    return [
        sentence if isinstance(sentence, str) else json.dumps(sentence, ensure_ascii=False)
        for texts in errors.values()
        for sentence in (texts if isinstance(texts, list) else [texts])
    ]
