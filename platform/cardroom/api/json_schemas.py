"""JSON Schemas of the protocol, records, views, events and score sheets."""

from __future__ import annotations

from typing import Any, Final

from django.http import Http404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.schemas.documents import descriptions, names, schema

MEDIA_TYPE: Final = "application/schema+json"
_CACHE_HEADERS: Final = {"Cache-Control": "max-age=300"}
"""Only a new release of the site changes schemas."""


class JsonSchemaSerializer(serializers.Serializer[dict[str, Any]]):
    """A JSON Schema."""

    name = serializers.CharField(
        help_text="`start`, `ready`, `move`, `answer`, `deal`, `end` (lines of the protocol), "
        "`record`, or the name of a game with `-view`, `-event`, `-sheet`, `-move` or `-deal`."
    )
    description = serializers.CharField()
    url = serializers.URLField(help_text="The address of the schema.")


class JsonSchemaList(APIView):
    """Every JSON Schema of protocol, records, views, events and score sheets."""

    @extend_schema(operation_id="schemas_list", responses=JsonSchemaSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the JSON Schemas of protocol, records, views, events and score sheets."""
        rows = [
            {
                "name": name,
                "description": description,
                "url": request.build_absolute_uri(reverse("api:schema", args=(name,))),
            }
            for name, description in descriptions().items()
        ]
        return Response(rows, headers=_CACHE_HEADERS)


class JsonSchemaDetail(APIView):
    """One JSON Schema (2020-12)."""

    @extend_schema(
        operation_id="schemas_retrieve",
        parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH)],
        responses={
            (200, MEDIA_TYPE): OpenApiResponse(OpenApiTypes.OBJECT, description="The schema.")
        },
    )
    def get(self, request: Request, name: str) -> Response:
        """One JSON Schema (2020-12); unknown keys do not validate."""
        if name not in names():
            raise Http404("There is no such schema; /api/v1/schemas/ lists all.")
        return Response(schema(name), content_type=MEDIA_TYPE, headers=_CACHE_HEADERS)
