"""Refusals of requests before they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import APIException

from bots.limits import human


class TooLarge(APIException):
    """413: the body is longer than the address takes."""

    status_code = 413
    default_code = "too-large"


def check_length(parser_context: Mapping[str, Any] | None, limit: int) -> None:
    """Raise `TooLarge` when a request announces more than `limit` bytes.

    Nothing beyond the announced length is ever read, so that this bounds what a request can cost.
    """
    if parser_context is None:
        return
    try:
        length = int(parser_context["request"].META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > limit:
        raise TooLarge(f"The request has {human(length)}; this address takes {human(limit)}.")
