"""What the OpenAPI document says beyond what the views show by themselves: the problems.

Which problems an operation may answer with follows from what it is: one with a body may find the
body wrong, one with a name in its address may not find the thing, and so on. What cannot be seen
from outside a view says so itself: `problems = {"post": (409,)}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drf_spectacular.openapi import AutoSchema

from cardroom.api.problems import MEDIA_TYPE, ProblemSerializer

_MEANINGS = {
    400: "Something in the request is wrong; `errors` says which field and what would be right.",
    401: "The token is not valid, or this needs one.",
    403: "Somebody else may do this, you may not.",
    404: "There is nothing at this address, or you may not know of it.",
    409: "Not in the present state of things; `detail` says which state would do.",
    413: "The body is too long; `detail` says how long it may be.",
    415: "The body is of a type that this address does not read.",
    503: "The site cannot do this now; `detail` says why.",
    429: "Too many requests; the header `Retry-After` says how many seconds to wait.",
}
_SAFE = ("GET", "HEAD", "OPTIONS")


class Schema(AutoSchema):
    """DRF's views as OpenAPI operations, every problem included."""

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in sorted(set(self._problems())):
            if str(status) not in bodies:
                bodies[str(status)] = self._get_response_for_code(  # type: ignore[no-untyped-call]  # spectacular's own
                    ProblemSerializer(), str(status), [MEDIA_TYPE], direction
                )
                bodies[str(status)]["description"] = _MEANINGS[status]
        return dict(sorted(bodies.items()))

    def _problems(self) -> Iterator[int]:
        yield from (401, 429)
        yield from getattr(self.view, "problems", {}).get(self.method.lower(), ())
        if self.method not in _SAFE:
            yield 403
        if self.method in ("POST", "PUT", "PATCH") and self.get_request_serializer() is not None:
            yield from (400, 413, 415)
        if "{" in self.path or self._paginated():
            yield 404
        if self.method == "GET" and self.get_filter_backends():
            yield 400

    def _paginated(self) -> bool:
        return bool(self._is_list_view() and self._get_paginator())  # type: ignore[no-untyped-call]  # spectacular's own
