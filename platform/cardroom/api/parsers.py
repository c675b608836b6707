"""Bodies of requests: JSON of a bounded size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import JSONParser

from bots.api.errors import check_length

MAX_JSON = 64 * 1024
"""Bytes: the largest thing anybody sends is a tournament's description of 2,000 characters."""


class BoundedJSONParser(JSONParser):
    """JSON, refused by its announced length before a byte of it is read."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The parsed body; 413 when it is too long, 400 when it is not a JSON object."""
        check_length(parser_context, MAX_JSON)
        parsed: dict[str, Any] = super().parse(stream, media_type, parser_context)
        return parsed
