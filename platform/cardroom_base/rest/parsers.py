"""Bodies of requests: JSON objects within limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from cardroom_base.core.request_limits import MAX_BODY
from engine.json_text import JSONError, parse_json


class BoundedJSONParser(JSONParser):
    """Reads bodies with `engine.json_text`, which limits their JSON."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The parsed body; 400 when it is not a JSON object."""
        try:
            parsed = parse_json(stream.read(), MAX_BODY)
        except JSONError as error:
            raise ParseError(f"The body is not JSON: {error}") from None
        if not isinstance(parsed, dict):
            raise ParseError("The body must be a JSON object.")
        return parsed
