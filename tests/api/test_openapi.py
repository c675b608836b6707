"""The OpenAPI document is complete, and responses match it.

Schemathesis makes valid and invalid requests from the document, without a login, as an author and
as staff. A test fails on a server error, an undocumented status or type, or a body that does not
match the schema.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.conf import settings as site
from django.contrib.auth.models import User
from django.core import signals
from django.core.management import call_command
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from cardroom.actions.tokens import make_token
from cardroom.wsgi import application
from cardroom_base.core.scopes import SCOPES
from tests.api.conftest import FORMAT, SOURCE, ApiWorld
from tournaments.exports.dump import dump

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
EXAMPLES = 3
"""Requests per operation and kind (valid, invalid) by default; 60 at full size."""
DUMPED = "2026-01-01"
FREE = {"anon": None, "user": None, "upload": None, "token": None, "signup": None, "join": None}


def test_the_document_validates_without_warnings() -> None:
    output = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=output)
    assert "openapi: 3" in output.getvalue()


def test_the_document_is_served(client: APIClient) -> None:
    response = client.get("/api/schema/")
    assert response.status_code == 200
    assert response.json()["info"]["title"] == "Cardroom"


def test_every_operation_documents_its_problems() -> None:
    problem = "application/problem+json"
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            responses = operation["responses"]
            place = f"{method} {path}"
            assert {"400", "401", "403", "429"} <= set(responses), place
            assert "requestBody" not in operation or {"413", "415"} <= set(responses), place
            for status, response in responses.items():
                assert status < "400" or list(response["content"]) == [problem], place


@pytest.fixture
def open_connection() -> Iterator[None]:
    """Keep the connection open after a WSGI request: it has the test's transaction."""
    signals.request_started.disconnect(close_old_connections)
    signals.request_finished.disconnect(close_old_connections)
    yield
    signals.request_started.connect(close_old_connections)
    signals.request_finished.connect(close_old_connections)


@pytest.mark.slow
@pytest.mark.usefixtures("open_connection")
def test_every_response_is_documented(
    world: ApiWorld, full_size: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", FREE)
    monkeypatch.setattr(site, "DUMP_DIR", tmp_path)
    dump(tmp_path, keep=1)[0].rename(tmp_path / DUMPED)
    users = {"nobody": None, "author": world.owner, "staff": world.staff}
    if not full_size:
        del users["author"]
    headers = {role: request_headers(user) for role, user in users.items()}
    counts: dict[str, Counter[int]] = {role: Counter() for role in users}
    for operation in operations(world):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            # Each operation starts from the same world, without the changes of earlier ones.
            with transaction.atomic():
                send_requests(operation, mode, headers, 60 if full_size else EXAMPLES, counts)
                transaction.set_rollback(True)
    # The requests got past the first checks.
    for role, by_status in counts.items():
        assert by_status[200] > 50
        assert {400, 404} <= set(by_status)
        assert role == "nobody" or {201, 409} <= set(by_status)


def request_headers(user: User | None) -> dict[str, str]:
    """The headers of a person's requests."""
    headers = {"Accept-Encoding": "identity"}  # a WSGI client decompresses nothing
    if user is not None:
        headers["Authorization"] = f"Token {make_token(user, 'x', SCOPES, 1)[1]}"
    return headers


def send_requests(
    operation: Any,
    mode: GenerationMode,
    headers: dict[str, dict[str, str]],
    examples: int,
    counts: dict[str, Counter[int]],
) -> None:
    """Make requests of one operation by each role, check and count the responses."""
    if mode is GenerationMode.NEGATIVE and not can_be_invalid(operation):
        return
    packages = st.just(value=True) if mode is GenerationMode.POSITIVE else st.booleans()

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), valid=packages)
    def check(case: Any, valid: bool) -> None:
        if valid and isinstance(case.body, dict) and "package" in case.body:
            case.body["package"] = SOURCE
        for role, own_headers in headers.items():
            # Authorization is sent even if an earlier request revoked the token.
            response = case.call_and_validate(headers=own_headers, checks=CHECKS)
            counts[role][response.status_code] += 1

    check()


def can_be_invalid(operation: Any) -> bool:
    """Whether the request has a part that can be invalid."""
    return bool(operation.body or operation.query or operation.path_parameters)


def operations(world: ApiWorld) -> Iterator[Any]:
    """Every operation, with parameters that name objects of the world."""
    openapi = document()
    values_by_key = parameter_values(world)
    for path, methods in openapi["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                key = f"{path.split('/')[3]}:{parameter['name']}"
                if values := values_by_key.get(key):
                    parameter["schema"] = {"type": parameter["schema"]["type"], "enum": values}
    body = openapi["components"]["schemas"]["NewTournamentRequest"]["properties"]
    body["format"] = {"type": "string", "enum": [FORMAT, "cassino/royal/2v2", "whist/plain/1v1"]}
    # Random text is hardly ever a valid name or valid text.
    body["name"] = {"type": "string", "enum": ["A Cup", "Zoës Cup", "凪 Cup", "h\u043euse: Cup"]}
    for shape in ("NewBotRequest", "NewVersionRequest"):
        upload = openapi["components"]["schemas"][shape]["properties"]
        upload["notes"] = {"type": "string", "enum": ["", "It is faster.", "a\x1bb"]}
        upload.get("name", {})["enum"] = ["Wren", "凪", "Magpie"]
        upload.get("description", {})["enum"] = ["", "A bird."]
    schema = schemathesis.openapi.from_dict(openapi)
    schema.app = application
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        yield result.ok()


def parameter_values(world: ApiWorld) -> dict[str, list[Any]]:
    """Values of parameters, by the resource and the parameter's name."""
    bots = [bot.slug for bot in world.bots[:3]]
    tournaments = [t.slug for t in (world.finished, world.running, world.open, world.draft)]
    waiting = world.running.matches.order_by("pk")[0]
    return {
        "bots:slug": bots,
        "bots:number": [1, 2],
        "tournaments:slug": tournaments,
        "tournaments:bot": bots,
        "matches:id": [world.match.pk, waiting.pk],
        "matches:seat": [0, 1],
        "ratings:bot": bots,
        "ratings:a": bots,
        "ratings:b": bots,
        "games:game": ["cassino", "whist"],
        "schemas:name": ["cassino-move", "record", "whist-view"],
        "dumps:day": [DUMPED],
        "dumps:name": ["moves.jsonl.gz", "about.json"],
        "authors:author": [world.owner.get_username(), "nobody"],
    }


def document() -> dict[str, Any]:
    """A copy of the OpenAPI document, which callers may change."""
    openapi: dict[str, Any] = json.loads(_text())
    return openapi


@cache
def _text() -> str:
    output = io.StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=output)
    return output.getvalue()
