"""Adds problems (error responses) to the OpenAPI document.

Most problems of an operation follow from its kind. For example, if it reads a body, the body may be
too long (413); if its address contains a name, the name may be unknown (404). A view declares its
other problems: `problems = {"post": (409,)}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from inspect import getdoc
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from cardroom_base.rest.answers import AnswerSerializer
from cardroom_base.rest.problem_details import MEDIA_TYPE
from cardroom_base.rest.problems import ProblemSerializer
from cardroom_base.rest.strict_body import StrictSerializer

_MEANINGS = {
    400: "The request is invalid; `errors` names the fields and says how to correct them.",
    401: "The token is not valid, or the request needs one.",
    403: "You may not do this, or your token lacks the scope.",
    404: "There is nothing at this address, or you may not see it.",
    409: "Not possible in the current state; `detail` explains why.",
    413: "The body is too long; `detail` gives the limit.",
    414: "The address is too long; `detail` gives the limit.",
    415: "The body is of a type that this address does not read.",
    429: "Too many requests; wait the number of seconds in the header `Retry-After`.",
    503: "The site cannot do this now; `detail` says why.",
}


class Schema(AutoSchema):
    """Describes DRF's views as OpenAPI operations, with all their problems."""

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in sorted(set(self._problems())):
            if str(status) not in bodies:
                bodies[str(status)] = self._get_response_for_code(  # type: ignore[no-untyped-call]  # spectacular's own
                    ProblemSerializer(), str(status), [MEDIA_TYPE], direction
                )
                bodies[str(status)]["description"] = _MEANINGS[status]
        return dict(sorted(bodies.items()))

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> Any:
        """Mark bodies without unknown fields, and describe dataclasses by their docstrings."""
        schema = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]  # spectacular's own
        if isinstance(serializer, StrictSerializer):
            schema["additionalProperties"] = False
        if isinstance(serializer, AnswerSerializer):
            schema["description"] = getdoc(serializer.dataclass_definition.dataclass_type)
        return schema

    def _problems(self) -> Iterator[int]:
        yield from (400, 401, 403, 414, 429)  # 400: an unknown parameter
        yield from getattr(self.view, "problems", {}).get(self.method.lower(), ())
        if self.method in ("POST", "PUT", "PATCH") and self.get_request_serializer() is not None:
            yield from (413, 415)
        if "{" in self.path or self._is_paginated():
            yield 404

    def _is_paginated(self) -> bool:
        return bool(self._is_list_view() and self._get_paginator())  # type: ignore[no-untyped-call]  # spectacular's own


class CachedSchemaGenerator(SchemaGenerator):
    """Caches the document, which is the same for everyone and takes 0.2 s to make."""

    def get_schema(self, *_: Any, **__: Any) -> Any:
        return _document()


@cache
def _document() -> Any:
    return SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]  # spectacular's own
