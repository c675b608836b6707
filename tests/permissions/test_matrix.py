"""Each person sends a request to each address, and gets the response that `matrix.txt` expects.

Each cell is a separate request in a transaction that is rolled back.
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
from tests.permissions.people import PEOPLE, MatrixWorld, create_world

FILE = Path(__file__).with_name("matrix.txt")
REST = "/api/v1/"
FORM_STEPS = {"add-stage", "remove-stage", "options"}
"""Steps that only change the fields of a form."""
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
"""The fields of the page *New tournament*."""


@dataclass(frozen=True)
class MatrixRow:
    """One line of the matrix."""

    method: str
    path: str
    cells: tuple[str, ...]
    scope: str
    data: dict[str, Any]

    @property
    def is_rest(self) -> bool:
        return self.path.startswith(REST)

    def __str__(self) -> str:
        return f"{self.method} {self.path} {json.dumps(self.data) if self.data else ''}".strip()


def rows() -> list[MatrixRow]:
    """The rows of the file, without headings and comments."""
    parsed_rows = []
    for line in FILE.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        request, cells, *rest = (part.strip() for part in line.split("|"))
        method, path = request.split()
        scope = rest[0] if rest else ""
        data = json.loads(rest[1]) if len(rest) > 1 else {}
        parsed_rows.append(MatrixRow(method, path, tuple(cells.split()), scope, data))
    return parsed_rows


ROWS = rows()


@pytest.fixture
def world(db: None, quiet: None, monkeypatch: pytest.MonkeyPatch) -> MatrixWorld:
    """The world of the matrix, with a session for each person."""
    monkeypatch.setattr(table_views, "HINT_SECONDS", 0.0)
    world = create_world()
    for user in filter(None, world.people.values()):
        client = Client()
        client.force_login(user)
        world.sessions[user.pk] = str(client.session.session_key)
    return world


# --- checking a cell ------------------------------------------------------------------------------


def fill_in(value: Any, world: MatrixWorld) -> Any:
    """The value with the world's values instead of names in braces."""
    if isinstance(value, list):
        return [fill_in(part, world) for part in value]
    if isinstance(value, str):
        return re.sub(r"\{([a-z-]+)\}", lambda name: world.values[name[1]], value)
    return value


def body(row: MatrixRow, world: MatrixWorld) -> dict[str, Any]:
    if row.data == {"form": "tournament"}:
        return dict(FORM)
    data = {key: fill_in(value, world) for key, value in row.data.items()}
    if data.get("package") == "file":
        data["package"] = SimpleUploadedFile("bot.py", make.source("a new one"))
    return data


def send(
    row: MatrixRow, world: MatrixWorld, user: User | None, scopes: Any = SCOPES
) -> tuple[str, Any]:
    """Send a request and roll it back; return its outcome as in a cell, and the response."""
    with transaction.atomic():
        response = (
            _send_to_rest(row, world, user, scopes)
            if row.is_rest
            else _send_to_page(row, world, user)
        )
        outcome = _outcome(row, response)
        transaction.set_rollback(True)
    match_cache.clear()  # it may contain matches of the rolled-back transaction
    return outcome, response


def _send_to_rest(row: MatrixRow, world: MatrixWorld, user: User | None, scopes: Any) -> Any:
    client = APIClient()
    if user is not None:
        _, secret = make_token(user, "the matrix", scopes, 1)
        client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    data = body(row, world)
    kind = "multipart" if "package" in data else "json"
    method = getattr(client, row.method.lower())
    path = fill_in(row.path, world)
    return method(path) if row.method == "GET" else method(path, data, format=kind)


def _send_to_page(row: MatrixRow, world: MatrixWorld, user: User | None) -> Any:
    client = Client()
    if user is not None:
        client.cookies[site.SESSION_COOKIE_NAME] = world.sessions[user.pk]
    method = getattr(client, row.method.lower())
    is_table = row.path.startswith("/play/{") and "/replay/" not in row.path
    if row.method == "POST" and (is_table or row.path.endswith("/why/")):
        data = json.dumps(body(row, world))
        return method(fill_in(row.path, world), data, content_type="application/json")
    return method(fill_in(row.path, world), body(row, world))


def _outcome(row: MatrixRow, response: Any) -> str:
    status = response.status_code
    if status == 302 and "/login/?next=" in response["Location"]:
        return "who"
    if status >= 400:
        return {401: "who", 403: "no", 404: "hid"}.get(status, str(status))
    if row.is_rest:
        return "yes"
    if any("bad" in message.tags for message in get_messages(response.wsgi_request)):
        return "no"
    form = response.context.get("form") if row.method == "POST" and response.context else None
    return f"form: {form.errors.as_text()}" if form is not None and form.errors else "yes"


# --- the matrix -----------------------------------------------------------------------------------


def check_cells(world: MatrixWorld, selection: list[MatrixRow]) -> Iterator[tuple[MatrixRow, Any]]:
    """Send the request of each cell and yield its response; fail at the end for wrong outcomes."""
    mistakes = []
    for row in selection:
        for name, expected in zip(PEOPLE, row.cells, strict=True):
            outcome, response = send(row, world, world.people[name])
            if outcome != expected:
                mistakes.append(f"{row}: {name} should get {expected}, got {outcome}")
            yield row, response
    assert not mistakes, "\n" + "\n".join(mistakes)


def test_rest_responds_as_in_the_matrix(world: MatrixWorld) -> None:
    assert list(check_cells(world, [row for row in ROWS if row.is_rest]))


def test_pages_respond_as_in_the_matrix_and_all_their_forms_have_rows(world: MatrixWorld) -> None:
    forms = set()
    for row, response in check_cells(world, [row for row in ROWS if not row.is_rest]):
        if (
            row.method == "GET"
            and response.status_code == 200
            and "text/html" in response["Content-Type"]
        ):
            parser = FormParser(fill_in(row.path, world))
            parser.feed(response.content.decode())
            forms |= parser.forms
    known_forms = {(route_of(fill_in(row.path, world)), row.data.get("word", "")) for row in ROWS}
    known_forms |= {(route, "") for route, _ in known_forms}
    for action, word in forms:
        if word not in FORM_STEPS and not action.startswith("/admin/"):
            assert (route_of(action), word) in known_forms, f"The form {action} {word} has no row"


def test_tokens_need_the_scope_of_the_matrix(world: MatrixWorld) -> None:
    mistakes = []
    for row in ROWS:
        if row.scope in {"", "-"}:
            continue
        name = next(n for n, cell in zip(PEOPLE, row.cells, strict=True) if cell == "yes" != n)
        name = name if name != "nobody" else "stranger"
        for scope in SCOPES:
            outcome, _ = send(row, world, world.people[name], [scope])
            if (outcome == "yes") != (scope == row.scope):
                mistakes.append(f"{row}: {name} with a token to {scope} got {outcome}")
    assert not mistakes, "\n" + "\n".join(mistakes)


# --- whether it is complete -----------------------------------------------------------------------


def route_of(path: str) -> str:
    return str(resolve(path.partition("?")[0]).route)


def covered_routes(world: MatrixWorld) -> set[tuple[str, str]]:
    return {(row.method, route_of(fill_in(row.path, world))) for row in ROWS}


def test_every_page_and_rest_method_has_a_row(world: MatrixWorld) -> None:
    covered = covered_routes(world)
    for route, pattern in addresses():
        view = getattr(pattern.callback, "cls", None)
        if view is None:
            assert route in {route for _, route in covered}, f"{route} has no row"
            continue
        for method in ("get", "post", "put", "patch", "delete"):
            has_row = (method.upper(), route) in covered
            assert not hasattr(view, method) or has_row, f"{method} {route}"


def test_every_rest_view_checks_the_scope_of_tokens() -> None:
    for path, methods, view in views():
        for method in methods:
            instance = view()
            instance.request = getattr(RequestFactory(), method.lower())(path)
            permissions = instance.get_permissions()
            assert any(isinstance(permission, InScope) for permission in permissions), (
                method,
                path,
            )


class FormParser(HTMLParser):
    """Finds the POST forms of a page, with their actions and steps."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.forms: set[tuple[str, str]] = set()
        self._action: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "form":
            is_post = (values.get("method") or "").lower() == "post"
            self._action = (values.get("action") or self.path) if is_post else None
            if self._action:
                self.forms.add((self._action.partition("#")[0], ""))
        elif self._action and values.get("name") == "word":
            self.forms.add((self._action, values.get("value") or ""))
