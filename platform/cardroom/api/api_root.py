"""The root of the REST interface, which lists the addresses of all resources."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cardroom_base.rest.problem_details import answer

_RESOURCES = (
    "games",
    "formats",
    "bots",
    "tournaments",
    "matches",
    "ratings",
    "dumps",
    "schemas",
    "status",
    "tokens",
)


class RootSerializer(serializers.Serializer[dict[str, Any]]):
    """Addresses of the resources."""

    games = serializers.URLField()
    formats = serializers.URLField()
    bots = serializers.URLField()
    tournaments = serializers.URLField()
    matches = serializers.URLField()
    ratings = serializers.URLField()
    dumps = serializers.URLField()
    schemas = serializers.URLField(help_text="JSON Schemas of protocol, records and games.")
    status = serializers.URLField()
    tokens = serializers.URLField()
    schema = serializers.URLField(help_text="The OpenAPI document.")
    docs = serializers.URLField(help_text="An interactive version of this document.")


class RootView(APIView):
    """Addresses of the resources."""

    @extend_schema(operation_id="root_retrieve", responses=RootSerializer)
    def get(self, request: Request) -> Response:
        """Addresses of the resources."""
        addresses = {name: reverse(f"api:{name}") for name in _RESOURCES}
        addresses |= {"schema": reverse("api-schema"), "docs": reverse("api-docs")}
        return Response(
            {name: request.build_absolute_uri(path) for name, path in addresses.items()}
        )


@csrf_exempt
def not_found(request: HttpRequest) -> HttpResponse:
    """404 for addresses below /api/ that do not exist."""
    return answer(
        request, 404, f"There is nothing at {request.path}. /api/v1/ lists all addresses."
    )
