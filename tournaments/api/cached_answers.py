"""Answers of the REST interface from cached content."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.response import Response

from tournaments.reading.content_cache import AS_OF, MIN_WAIT


def as_of() -> serializers.DateTimeField:
    """The field with the time of an answer's data."""
    return serializers.DateTimeField(allow_null=True, help_text=AS_OF)


class ComingSerializer(serializers.Serializer[Any]):
    """The answer while content is being computed."""

    detail = serializers.CharField()


COMING: Final = OpenApiResponse(
    ComingSerializer,
    description="The answer is being computed for the first time; repeat the request.",
)


def pending_answer(subject: str) -> Response:
    """The 202 answer; `subject`: subject and verb, such as `The standings are`."""
    detail = f"{subject} being computed; repeat the request in a few seconds."
    return Response({"detail": detail}, 202, headers={"Retry-After": f"{MIN_WAIT:.0f}"})
