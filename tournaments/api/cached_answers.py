"""How the REST interface answers with what is kept."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.response import Response

from tournaments.reading.kept import AS_OF, LEAST_REST


def as_of() -> serializers.DateTimeField:
    """The field that says as of when an answer is."""
    return serializers.DateTimeField(allow_null=True, help_text=AS_OF)


class ComingSerializer(serializers.Serializer[Any]):
    """It is being made."""

    detail = serializers.CharField()


COMING: Final = OpenApiResponse(
    ComingSerializer, description="It is being computed for the first time; ask again."
)


def being_made(what: str) -> Response:
    """202: ask again."""
    detail = f"{what} being computed; ask again in a few seconds."
    return Response({"detail": detail}, 202, headers={"Retry-After": f"{LEAST_REST:.0f}"})
