"""Problem details (RFC 9457): errors as JSON, for programs.

`type` is `urn:cardroom:problem:` and a short code that programs may rely on, `detail` is a sentence
for people.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, JsonResponse

MEDIA_TYPE = "application/problem+json"
NAMESPACE = "urn:cardroom:problem:"


def problem(
    status: int,
    detail: str,
    *,
    code: str = "",
    instance: str = "",
    errors: dict[str, list[str]] | None = None,
) -> dict[str, Any]:
    """The problem as JSON; without a `code`, the status provides it."""
    title = HTTPStatus(status).phrase
    body: dict[str, Any] = {
        "type": NAMESPACE + (code or title.lower()).replace("_", "-").replace(" ", "-"),
        "title": title,
        "status": status,
        "detail": detail,
        "instance": instance,
    }
    if errors:
        body["errors"] = errors
    return body


def answer(request: HttpRequest, status: int, detail: str, code: str = "") -> JsonResponse:
    """A problem outside REST views, such as an unknown address or a server error."""
    body = problem(status, detail, code=code, instance=request.path)
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)
