"""Every address × everybody, as `matrix.txt` says: what must work is done, what must not is tried.

Each cell is a request of its own in a world of its own (a transaction that is rolled back).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import resolve
from rest_framework.test import APIClient

from bots.api.permissions import InScope
from cardroom.actions.tokens import make_token
from cardroom.pages.tables import table_views
from cardroom_base.core.scopes import SCOPES
from cardroom_tables import match_cache
from tests import factories as make
from tests.addresses import addresses, views
from tests.permissions.people import PEOPLE, Place, settle

FILE = Path(__file__).with_name("matrix.txt")
REST = "/api/v1/"
STAGES = {"add-stage", "remove-stage", "options"}
"""Words that change what a form asks, and nothing else."""
FORM = {
    "name": "Another Cup",
    "format": "cassino/standard/1v1",
    "partners": "copies",
    "seeding": "entry",
    "move_ms": "1000",
    "bank_ms": "20000",
    "fault_policy": "fallback",
    "live_delay": "15",
    "visibility": "all",
    "stages": "1",
    "stage-1-system": "round-robin",
    "stage-1-groups": "1",
    "stage-1-divisions": "1",
    "stage-1-take": "0",
}
"""What the page *New tournament* sends."""


@dataclass(frozen=True)
class Row:
    """One line of the matrix."""

    method: str
    path: str
    cells: tuple[str, ...]
    scope: str
    sent: dict[str, Any]

    @property
    def rest(self) -> bool:
        return self.path.startswith(REST)

    def __str__(self) -> str:
        return f"{self.method} {self.path} {json.dumps(self.sent) if self.sent else ''}".strip()


def rows() -> list[Row]:
    """The lines of the file that are neither headings nor remarks."""
    found = []
    for line in FILE.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        request, cells, *more = (part.strip() for part in line.split("|"))
        method, path = request.split()
        scope = more[0] if more else ""
        sent = json.loads(more[1]) if len(more) > 1 else {}
        found.append(Row(method, path, tuple(cells.split()), scope, sent))
    return found


ROWS = rows()


@pytest.fixture
def place(db: None, quiet: None, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Everybody and everything, at a door that counts nothing."""
    monkeypatch.setattr(table_views, "HINT_SECONDS", 0.0)
    place = settle()
    for user in filter(None, place.people.values()):
        client = Client()
        client.force_login(user)
        place.sessions[user.pk] = str(client.session.session_key)
    return place


# --- trying a cell --------------------------------------------------------------------------------


def filled(value: Any, place: Place) -> Any:
    """With the names that `people.py` knows in the place of braces."""
    if isinstance(value, list):
        return [filled(part, place) for part in value]
    if isinstance(value, str):
        return re.sub(r"\{([a-z-]+)\}", lambda found: place.values[found[1]], value)
    return value


def body(row: Row, place: Place) -> dict[str, Any]:
    if row.sent == {"form": "tournament"}:
        return dict(FORM)
    sent = {key: filled(value, place) for key, value in row.sent.items()}
    if sent.get("package") == "file":
        sent["package"] = SimpleUploadedFile("bot.py", make.source("a new one"))
    return sent


def ask(row: Row, place: Place, user: User | None, scopes: Any = SCOPES) -> tuple[str, Any]:
    """The word for what comes of it, and the answer; nothing of it stays."""
    with transaction.atomic():
        response = _ask_rest(row, place, user, scopes) if row.rest else _ask_page(row, place, user)
        word = _word(row, response)
        transaction.set_rollback(True)
    match_cache.clear()  # which have seen what did not happen
    return word, response


def _ask_rest(row: Row, place: Place, user: User | None, scopes: Any) -> Any:
    client = APIClient()
    if user is not None:
        _, secret = make_token(user, "the matrix", scopes, 1)
        client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    sent = body(row, place)
    kind = "multipart" if "package" in sent else "json"
    ask = getattr(client, row.method.lower())
    path = filled(row.path, place)
    return ask(path) if row.method == "GET" else ask(path, sent, format=kind)


def _ask_page(row: Row, place: Place, user: User | None) -> Any:
    client = Client()
    if user is not None:
        client.cookies[site.SESSION_COOKIE_NAME] = place.sessions[user.pk]
    ask = getattr(client, row.method.lower())
    at_table = row.path.startswith("/play/{") and "/replay/" not in row.path
    if row.method == "POST" and (at_table or row.path.endswith("/why/")):
        sent = json.dumps(body(row, place))
        return ask(filled(row.path, place), sent, content_type="application/json")
    return ask(filled(row.path, place), body(row, place))


def _word(row: Row, response: Any) -> str:
    status = response.status_code
    if status == 302 and "/login/?next=" in response["Location"]:
        return "who"
    if status >= 400:
        return {401: "who", 403: "no", 404: "hid"}.get(status, str(status))
    if row.rest:
        return "yes"
    if any("bad" in message.tags for message in get_messages(response.wsgi_request)):
        return "no"
    form = response.context.get("form") if row.method == "POST" and response.context else None
    return f"form: {form.errors.as_text()}" if form is not None and form.errors else "yes"


# --- the matrix -----------------------------------------------------------------------------------


def tried(place: Place, chosen: list[Row]) -> Iterator[tuple[Row, Any]]:
    """Try every cell of some rows; the answers, and at the end what was not as it should be."""
    wrong = []
    for row in chosen:
        for name, expected in zip(PEOPLE, row.cells, strict=True):
            got, response = ask(row, place, place.people[name])
            if got != expected:
                wrong.append(f"{row}: {name} should get {expected}, got {got}")
            yield row, response
    assert not wrong, "\n" + "\n".join(wrong)


def test_everybody_may_do_by_rest_what_the_matrix_says(place: Place) -> None:
    assert list(tried(place, [row for row in ROWS if row.rest]))


def test_everybody_may_do_on_pages_what_the_matrix_says(place: Place) -> None:
    """And whatever a button of anybody's page sends, there is a row for it."""
    forms = set()
    for row, response in tried(place, [row for row in ROWS if not row.rest]):
        if (
            row.method == "GET"
            and response.status_code == 200
            and "text/html" in response["Content-Type"]
        ):
            reader = Forms(filled(row.path, place))
            reader.feed(response.content.decode())
            forms |= reader.found
    sent = {(route_of(filled(row.path, place)), row.sent.get("word", "")) for row in ROWS}
    sent |= {(route, "") for route, _ in sent}
    for action, word in forms:
        if word not in STAGES and not action.startswith("/admin/"):
            assert (route_of(action), word) in sent, f"The form {action} {word} has no row"


def test_tokens_open_what_their_scope_says(place: Place) -> None:
    wrong = []
    for row in ROWS:
        if row.scope in {"", "-"}:
            continue
        name = next(n for n, cell in zip(PEOPLE, row.cells, strict=True) if cell == "yes" != n)
        name = name if name != "nobody" else "stranger"
        for scope in SCOPES:
            got, _ = ask(row, place, place.people[name], [scope])
            if (got == "yes") != (scope == row.scope):
                wrong.append(f"{row}: {name} with a token to {scope} got {got}")
    assert not wrong, "\n" + "\n".join(wrong)


# --- whether it is complete -----------------------------------------------------------------------


def route_of(path: str) -> str:
    return str(resolve(path.partition("?")[0]).route)


def covered(place: Place) -> set[tuple[str, str]]:
    return {(row.method, route_of(filled(row.path, place))) for row in ROWS}


def test_every_address_has_its_rows(place: Place) -> None:
    """Of the REST interface each method, of the pages each address."""
    known = covered(place)
    for route, each in addresses():
        view = getattr(each.callback, "cls", None)
        if view is None:
            assert route in {route for _, route in known}, f"{route} has no row"
            continue
        for verb in ("get", "post", "put", "patch", "delete"):
            assert not hasattr(view, verb) or (verb.upper(), route) in known, f"{verb} {route}"


def test_every_permission_minds_scopes() -> None:
    """No view slips past the scopes of tokens."""
    for path, methods, view in views():
        for method in methods:
            shown = view()
            shown.request = getattr(RequestFactory(), method.lower())(path)
            kinds = shown.get_permissions()
            assert any(isinstance(kind, InScope) for kind in kinds), (method, path)


class Forms(HTMLParser):
    """The forms of a page that change something: where they go, and the step they name."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.found: set[tuple[str, str]] = set()
        self._action: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "form":
            posts = (given.get("method") or "").lower() == "post"
            self._action = (given.get("action") or self.path) if posts else None
            if self._action:
                self.found.add((self._action.partition("#")[0], ""))
        elif self._action and given.get("name") == "word":
            self.found.add((self._action, given.get("value") or ""))
