"""Errors as RFC 9457 problem details."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception of a REST view into `application/problem+json`."""
    return exception_handler(error, context)
