"""A person's browser at a real site, as far as a table needs one."""

from __future__ import annotations

import json
import time
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

PATIENCE = 60.0
"""Seconds after which a bot that is waited for is taken to be lost."""


class Browser:
    """One session, at one table."""

    def __init__(self, url: str, path: str = "") -> None:
        self.url = url.rstrip("/")
        self.path = path
        self.seat: int | None = None
        self.cookies = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self.cookies))

    def create(self, text: str, **fields: str) -> dict[str, Any]:
        """Make a table by the form; its state."""
        self.load("/play/")
        form = urlencode({"csrfmiddlewaretoken": self.token, "format": text, **fields})
        with self._opener.open(Request(f"{self.url}/play/", form.encode()), timeout=30) as answer:
            self.path = answer.geturl().removeprefix(self.url)
        assert self.path != "/play/", "the form was refused"
        return self.state()

    @property
    def token(self) -> str:
        """Against forged requests."""
        return next(str(cookie.value) for cookie in self.cookies if "csrf" in cookie.name)

    def load(self, path: str) -> bytes:
        """A page; while the site cannot be reached it is asked for again, as browsers do it."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with self._opener.open(self.url + path, timeout=30) as answer:
                    return bytes(answer.read())
            except HTTPError:
                raise
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def get(self, part: str) -> Any:
        """JSON of the table."""
        return json.loads(self.load(self.path + part))

    def state(self, query: str = "") -> dict[str, Any]:
        """The table as this browser is told."""
        state: dict[str, Any] = self.get(f"state/{query}")
        self.seat = state["you"]
        return state

    def wait(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state after what bots have played; the same if it is one's own turn already."""
        until = time.monotonic() + PATIENCE
        known = state["n"]
        while state["n"] == known and state["turn"] not in (None, self.seat):
            if time.monotonic() > until:
                pytest.fail(f"No bot moves: {state['chip']} {state['trouble']}")
            state = self.state(f"?after={state['frames_total']}&version={state['version']}&wait=1")
            time.sleep(0 if state["poll"] == 0 else 0.05)
        return state

    def post(self, verb: str, **sent: Any) -> dict[str, Any]:
        """Something done at the table; its answer, which must be a good one."""
        if not any("csrf" in cookie.name for cookie in self.cookies):
            self.load("/play/")
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.token}
        body = json.dumps(sent).encode()
        request = Request(f"{self.url}{self.path}{verb}/", body, headers)
        try:
            with self._opener.open(request, timeout=30) as answer:
                told: dict[str, Any] = json.load(answer)
        except HTTPError as error:
            pytest.fail(f"{verb}: {error.code} {error.read().decode()[:500]}")
        if "you" in told:
            self.seat = told["you"]
        return told

    def move(self, state: dict[str, Any], move: str) -> dict[str, Any]:
        """Play a move; the state after it."""
        return self.post("move", n=state["n"], move=move, after=state["frames_total"])
