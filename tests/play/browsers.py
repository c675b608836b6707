"""A minimal browser for a person at a table of a real site."""

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
"""The time limit in seconds for a bot's move."""


class Browser:
    """One session, at one table."""

    def __init__(self, url: str, path: str = "") -> None:
        self.url = url.rstrip("/")
        self.path = path
        self.seat: int | None = None
        self.cookies = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self.cookies))

    def create(self, text: str, **fields: str) -> dict[str, Any]:
        """Create a table with the form; its state."""
        self.load("/play/")
        form = urlencode({"csrfmiddlewaretoken": self.token, "format": text, **fields})
        with self._opener.open(Request(f"{self.url}/play/", form.encode()), timeout=30) as response:
            self.path = response.geturl().removeprefix(self.url)
        assert self.path != "/play/", "the form was refused"
        return self.state()

    @property
    def token(self) -> str:
        """The token against forged requests."""
        return next(str(cookie.value) for cookie in self.cookies if "csrf" in cookie.name)

    def load(self, path: str) -> bytes:
        """The body of a page; retries while the site cannot be reached."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with self._opener.open(self.url + path, timeout=30) as response:
                    return bytes(response.read())
            except HTTPError:
                raise
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def get(self, part: str) -> Any:
        """A part of the table as JSON."""
        return json.loads(self.load(self.path + part))

    def state(self, query: str = "") -> dict[str, Any]:
        """The table's state for this browser."""
        state: dict[str, Any] = self.get(f"state/{query}")
        self.seat = state["you"]
        return state

    def wait(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state after moves of bots; the same state if it is this person's turn."""
        until = time.monotonic() + PATIENCE
        move_count = state["n"]
        while state["n"] == move_count and state["turn"] not in (None, self.seat):
            if time.monotonic() > until:
                pytest.fail(f"No bot moves: {state['chip']} {state['trouble']}")
            state = self.state(f"?after={state['frames_total']}&version={state['version']}&wait=1")
            time.sleep(0 if state["poll"] == 0 else 0.05)
        return state

    def post(self, verb: str, **values: Any) -> dict[str, Any]:
        """Post an action at the table; the response, which must be a success."""
        if not any("csrf" in cookie.name for cookie in self.cookies):
            self.load("/play/")
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.token}
        content = json.dumps(values).encode()
        request = Request(f"{self.url}{self.path}{verb}/", content, headers)
        try:
            with self._opener.open(request, timeout=30) as response:
                body: dict[str, Any] = json.load(response)
        except HTTPError as error:
            pytest.fail(f"{verb}: {error.code} {error.read().decode()[:500]}")
        if "you" in body:
            self.seat = body["you"]
        return body

    def move(self, state: dict[str, Any], move: str) -> dict[str, Any]:
        """Play a move; the state after it."""
        return self.post("move", n=state["n"], move=move, after=state["frames_total"])
