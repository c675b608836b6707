"""The header `Idempotency-Key`: a repetition of a POST gets the response to the first request and
changes nothing (draft-ietf-httpapi-idempotency-key-header)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.db import transaction
from django.utils.crypto import salted_hmac
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.core.errors import ActionError
from cardroom_base.models import MAX_IDEMPOTENCY_KEY, IdempotentRequest

HEADER: Final = "Idempotency-Key"
_KEY: Final = f"[!-~]{{1,{MAX_IDEMPOTENCY_KEY}}}"
"""Printable ASCII without spaces."""
PARAMETER: Final = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": f"^{_KEY}$"},
    OpenApiParameter.HEADER,
    description="A key of your choice, new for each request. If you repeat the request with the "
    "same key within 24 hours, you get the first response again, and nothing changes.",
)


def idempotent(post: Callable[..., Response]) -> Callable[..., Response]:
    """Decorate a view's method for POST, so that it obeys the header."""

    @wraps(post)
    def post_once(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        return respond_once(request, request.user, lambda: post(view, request, *args, **kwargs))

    return post_once


def respond_once(
    request: Request, user: Any, respond: Callable[[], Response], omit: str = ""
) -> Response:
    """The response of `respond` or, if the user has sent this request before, the first response.

    The field `omit` of the body is not stored, so it is absent from a repeated response. A
    refused request is not stored, so its repetition is tried again.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return respond()
    if not re.fullmatch(_KEY, key):
        limit = f"1 to {MAX_IDEMPOTENCY_KEY} ASCII letters, digits and punctuation marks"
        raise ActionError(f"The header {HEADER} must have {limit}.")
    digest = _digest(request)
    with transaction.atomic():
        IdempotentRequest.objects.expired().filter(user=user, key=key).delete()
        # A simultaneous request with the same key waits here until the first one has ended.
        row, is_new = IdempotentRequest.objects.get_or_create(
            user=user, key=key, defaults={"digest": digest}
        )
        if row.digest != digest:
            raise ActionError(
                f"You have sent this {HEADER} with another request; choose a new key.", "conflict"
            )
        if is_new:
            response = respond()
            row.status, row.location = response.status_code, response.get("Location", "")
            row.body = {name: value for name, value in response.data.items() if name != omit}
            row.save(update_fields=["status", "location", "body"])
            return response
    headers = {"Location": row.location} if row.location else None
    return Response(row.body, row.status, headers=headers)


def _digest(request: Request) -> str:
    content = json.dumps([request.path, request.data], sort_keys=True)
    return salted_hmac("cardroom.idempotency", content, algorithm="sha256").hexdigest()
