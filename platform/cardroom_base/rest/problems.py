"""Errors as RFC 9457 problem details (`application/problem+json`).

Every error of the REST interface has this shape; `type` is `urn:cardroom:problem:` and a short
code that programs may rely on, `detail` is a sentence for people.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import IntegrityError
from django.http import Http404
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import set_rollback

from cardroom_base.core.errors import ActionError
from cardroom_base.rest.problem_details import MEDIA_TYPE, problem
from engine import RecordError

_STATUS_OF_ACTION = {"invalid": 400, "forbidden": 403, "unavailable": 503}
"""The codes of `ActionError` that do not mean a conflict (409)."""
_NO_FIELD = "non_field_errors"


class ProblemSerializer(serializers.Serializer[dict[str, Any]]):
    """An error, for programs (`type`, `status`) and for people (`title`, `detail`)."""

    type = serializers.CharField(help_text="`urn:cardroom:problem:` and a short code.")
    title = serializers.CharField(help_text="The name of the HTTP status.")
    status = serializers.IntegerField(help_text="The HTTP status.")
    detail = serializers.CharField(help_text="The error, and how to fix it.")
    instance = serializers.CharField(  # type: ignore[assignment]  # RFC 9457's name, DRF's too
        help_text="The path of the request."
    )
    errors = serializers.DictField(  # type: ignore[assignment]  # likewise
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Sentences by field; a path with dots for a field inside another.",
    )


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception of a REST view into a problem; None for a bug of ours."""
    api_error = _as_api_exception(error)
    if api_error is None:
        return None
    set_rollback()
    errors = dict(_fields(api_error.detail))
    body = problem(
        api_error.status_code,
        _sentence(errors),
        code=_code(api_error),
        instance=context["request"].path,
        errors=errors if set(errors) - {""} else None,
    )
    return Response(
        body, status=api_error.status_code, headers=_headers(api_error), content_type=MEDIA_TYPE
    )


def _as_api_exception(error: Exception) -> exceptions.APIException | None:
    if isinstance(error, exceptions.APIException):
        return error
    if isinstance(error, Http404):
        return exceptions.NotFound(*error.args)
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(*error.args)
    if isinstance(error, ActionError):
        sentence = exceptions.ErrorDetail(str(error), error.code)
        detail = {error.field: [sentence]} if error.field else sentence
        return _refusal(_STATUS_OF_ACTION.get(error.code, 409), detail, error.code)
    if isinstance(error, RequestDataTooBig):
        return _refusal(413, "The request is too large.", "too-large")
    if isinstance(error, SuspiciousOperation):  # too many fields or files in a form
        return exceptions.ParseError(str(error) or None)
    if isinstance(error, RecordError):
        return _refusal(409, str(error), "other-rules")
    if isinstance(error, IntegrityError):
        return _refusal(409, "Another request changed this first; reload and try again.", "race")
    return None


def _refusal(status: int, detail: Any, code: str) -> exceptions.APIException:
    error = exceptions.APIException(detail, code)
    error.status_code = status
    error.default_code = code
    return error


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if auth_header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    return headers


def _code(error: exceptions.APIException) -> str:
    return getattr(error.detail, "code", None) or error.default_code


def _fields(detail: Any, path: str = "") -> Iterator[tuple[str, list[str]]]:
    """Flatten DRF's nested error details: path of the field → its sentences."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            name = "" if key == _NO_FIELD else str(key)
            yield from _fields(value, f"{path}.{name}".strip("."))
        return
    if not isinstance(detail, list):
        yield path, [str(detail)]
        return
    plain = [str(item) for item in detail if not isinstance(item, dict | list)]
    if plain:
        yield path, plain
    for index, item in enumerate(detail):
        if isinstance(item, dict | list) and item:
            yield from _fields(item, f"{path}.{index}".strip("."))


def _sentence(errors: dict[str, list[str]]) -> str:
    """All sentences in one line, each after its field."""
    return " ".join(
        f"{field}: {sentence}" if field else sentence
        for field, sentences in errors.items()
        for sentence in sentences
    )
