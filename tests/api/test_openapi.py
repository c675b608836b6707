"""The OpenAPI document is complete, and the interface answers only as it says.

Schemathesis makes requests out of the document, right and wrong ones, as nobody, as an author and
as staff; a server error, an undocumented status or type, or a body that is not as described fails.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.conf import settings as site
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
from tests.api.conftest import FORMAT, SOURCE, World
from tests.full_size import FULL_SIZE_ONLY
from tournaments.exports.dump import dump

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
EXAMPLES = 3
"""Requests per operation and kind (right, wrong) by default; 60 at full size."""
DUMPED = "2026-01-01"
FREE = {"anon": None, "user": None, "upload": None, "token": None, "signup": None, "join": None}


def test_the_document_has_no_gaps() -> None:
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert "openapi: 3" in out.getvalue()


def test_the_document_is_served(client: APIClient) -> None:
    response = client.get("/api/schema/")
    assert response.status_code == 200
    assert response.json()["info"]["title"] == "Cardroom"


def test_every_operation_names_its_problems() -> None:
    problem = "application/problem+json"
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            where = f"{method} {path}"
            assert {"400", "401", "403", "429"} <= set(answers), where
            assert "requestBody" not in operation or {"413", "415"} <= set(answers), where
            for status, answer in answers.items():
                assert status < "400" or list(answer["content"]) == [problem], where


@pytest.fixture
def connection_kept() -> Iterator[None]:
    """A WSGI request ends by closing its connection; here that is the test's own transaction."""
    signals.request_started.disconnect(close_old_connections)
    signals.request_finished.disconnect(close_old_connections)
    yield
    signals.request_started.connect(close_old_connections)
    signals.request_finished.connect(close_old_connections)


@pytest.mark.slow
@pytest.mark.usefixtures("connection_kept")
@pytest.mark.parametrize("who", ["nobody", pytest.param("author", marks=FULL_SIZE_ONLY), "staff"])
def test_every_answer_is_documented(
    world: World,
    who: str,
    full_size: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", FREE)
    monkeypatch.setattr(site, "DUMP_DIR", tmp_path)
    dump(tmp_path, keep=1)[0].rename(tmp_path / DUMPED)
    user = {"author": world.owner, "staff": world.staff}.get(who)
    headers = {"Accept-Encoding": "identity"}  # a WSGI client unpacks nothing
    if user is not None:
        headers["Authorization"] = f"Token {make_token(user, 'x', SCOPES, 1)[1]}"
    seen: dict[int, int] = {}
    for operation in operations(world):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            # Each operation starts from the same world, whatever the one before has changed.
            with transaction.atomic():
                ask(operation, mode, headers, 60 if full_size else EXAMPLES, seen)
                transaction.set_rollback(True)
    # It has been somewhere: not everything was refused at the door.
    assert seen[200] > 50
    assert {400, 404} <= set(seen)
    assert who == "nobody" or {201, 409} <= set(seen)


def ask(
    operation: Any,
    mode: GenerationMode,
    headers: dict[str, str],
    examples: int,
    seen: dict[int, int],
) -> None:
    """Make so many requests of one operation and check the answers; counts their statuses."""
    if mode is GenerationMode.NEGATIVE and not can_be_wrong(operation):
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
        # Sent even if the operation before gave it back: each request stands for itself.
        response = case.call_and_validate(headers=headers, checks=CHECKS)
        seen[response.status_code] = seen.get(response.status_code, 0) + 1

    check()


def can_be_wrong(operation: Any) -> bool:
    """Whether there is anything in the request that could be wrong."""
    return bool(operation.body or operation.query or operation.path_parameters)


def operations(world: World) -> Iterator[Any]:
    """Every operation, with names in its parameters that exist in the world."""
    described = document()
    known = names(world)
    for path, methods in described["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                key = f"{path.split('/')[3]}:{parameter['name']}"
                if values := known.get(key):
                    parameter["schema"] = {"type": parameter["schema"]["type"], "enum": values}
    body = described["components"]["schemas"]["NewTournamentRequest"]["properties"]
    body["format"] = {"type": "string", "enum": [FORMAT, "cassino/royal/2v2", "whist/plain/1v1"]}
    # Hardly any random text is a name, or only text.
    body["name"] = {"type": "string", "enum": ["A Cup", "Zoës Cup", "凪 Cup", "h\u043euse: Cup"]}
    for shape in ("NewBotRequest", "NewVersionRequest"):
        upload = described["components"]["schemas"][shape]["properties"]
        upload["notes"] = {"type": "string", "enum": ["", "It is faster.", "a\x1bb"]}
        upload.get("name", {})["enum"] = ["Wren", "凪", "Magpie"]
        upload.get("description", {})["enum"] = ["", "A bird."]
    schema = schemathesis.openapi.from_dict(described)
    schema.app = application
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        yield result.ok()


def names(world: World) -> dict[str, list[Any]]:
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
    """The OpenAPI document, to be changed at will."""
    described: dict[str, Any] = json.loads(_text())
    return described


@cache
def _text() -> str:
    out = io.StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=out)
    return out.getvalue()
