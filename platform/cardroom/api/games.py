"""The games and formats of this site, as the engine describes them."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.utils.cache import patch_cache_control
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.sheets.rule_sheets import rule_sheet
from cardroom_base.rest.pagination import PAGING
from engine import Format, all_formats, registry

_MAX_AGE = 300
"""Seconds for which a client may cache data that only a new release of the site changes."""


@extend_schema_field({"oneOf": [{"type": "boolean"}, {"type": "integer"}, {"type": "string"}]})
class ValueField(serializers.Field[Any, Any, Any, Any]):
    """The value of an option: true or false, a whole number, or a word."""

    def to_representation(self, value: Any) -> Any:
        """The value itself."""
        return value


class TableSerializer(serializers.Serializer[dict[str, Any]]):
    """A table form: the number of seats, and the seats that score together."""

    name = serializers.CharField()
    title = serializers.CharField()
    seats = serializers.IntegerField()
    sides = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class VariantSerializer(serializers.Serializer[dict[str, Any]]):
    """A named, complete set of rules, and its table forms."""

    name = serializers.CharField()
    title = serializers.CharField()
    meaning = serializers.CharField()
    tables = serializers.ListField(child=serializers.CharField())


class DefaultSerializer(serializers.Serializer[dict[str, Any]]):
    """An exception to an option's default; `*` matches any value."""

    variant = serializers.CharField()
    table = serializers.CharField()
    value = ValueField()


class OptionSerializer(serializers.Serializer[dict[str, Any]]):
    """A rule of a game with several values."""

    name = serializers.CharField()
    type = serializers.ChoiceField(["bool", "int", "choice"])
    values = serializers.ListField(
        child=ValueField(), allow_null=True, help_text="The choices; null for a number."
    )
    low = serializers.IntegerField(allow_null=True, help_text="The minimum; null for choices.")
    high = serializers.IntegerField(allow_null=True, help_text="The maximum; null for choices.")
    default = ValueField()
    defaults = DefaultSerializer(many=True, help_text="Exceptions; the first that matches applies.")
    variants = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The variants that have it; null: all.",
    )
    tables = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="The table forms that have it; null: all.",
    )
    meaning = serializers.CharField()
    clause = serializers.CharField(help_text="The clause of the rules that it changes.")


class ChangeSerializer(serializers.Serializer[dict[str, Any]]):
    """A version of a game's rules."""

    version = serializers.IntegerField()
    date = serializers.DateField(help_text="The date from which it applies.")
    changes = serializers.CharField(help_text="What changed, with the clauses.")


class GameSerializer(serializers.Serializer[dict[str, Any]]):
    """A game: its variants, table forms and options."""

    name = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    document = serializers.CharField(help_text="Name of the rules document.")
    version = serializers.IntegerField(help_text="The version of the rules in this site's program.")
    history = ChangeSerializer(many=True, help_text="The versions of the rules, oldest first.")
    tables = TableSerializer(many=True)
    variants = VariantSerializer(many=True)
    options = OptionSerializer(many=True)


class GameWithRulesSerializer(GameSerializer):
    """A game with its rule sheet."""

    rule_sheet = serializers.CharField(
        allow_null=True, help_text="A summary of the rules in Markdown; null if there is none."
    )


class FormatSerializer(serializers.Serializer[Format]):
    """A game in a variant at a table form, with the values of its options."""

    format = serializers.CharField(source="__str__")
    game = serializers.CharField()
    variant = serializers.CharField()
    table = serializers.CharField()
    seats = serializers.IntegerField()
    sides = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="The seats of each side.",
    )
    options = serializers.DictField(child=ValueField())


class GameList(GenericAPIView[Any]):
    """Every game with its variants, table forms and options."""

    serializer_class = GameSerializer
    query = PAGING
    queryset = None
    filter_backends = ()

    @extend_schema(operation_id="games_list", responses=GameSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Every game with its variants, table forms and options."""
        page = self.paginate_queryset(_descriptions()) or []
        return _cacheable(self.get_paginated_response(GameSerializer(page, many=True).data))  # type: ignore[arg-type]  # many


class GameDetail(APIView):
    """One game, with its rule sheet."""

    @extend_schema(
        operation_id="games_retrieve",
        responses=GameWithRulesSerializer,
        parameters=[OpenApiParameter("game", str, OpenApiParameter.PATH)],
    )
    def get(self, request: Request, game: str) -> Response:
        """One game, with its rule sheet."""
        game_spec = next((spec for spec in registry.games() if spec.name == game), None)
        if game_spec is None:
            names = ", ".join(spec.name for spec in registry.games())
            raise NotFound(f"No game is called {game}. Cardroom has {names}.")
        description = {**game_spec.describe_game(), "rule_sheet": rule_sheet(game)}
        return _cacheable(Response(GameWithRulesSerializer(description).data))


_FILTERS = [
    OpenApiParameter(name, OpenApiTypes.STR, description=f"Only formats of this {term}.")
    for name, term in (("game", "game"), ("variant", "variant"), ("table", "table form"))
]


class FormatList(GenericAPIView[Any]):
    """Every game × variant × table form, with default options."""

    serializer_class = FormatSerializer
    query = (*(parameter.name for parameter in _FILTERS), *PAGING)
    queryset = None
    filter_backends = ()

    @extend_schema(
        operation_id="formats_list", responses=FormatSerializer(many=True), parameters=_FILTERS
    )
    def get(self, request: Request) -> Response:
        """Every game × variant × table form, with default options."""
        filters = {p.name: v for p in _FILTERS if (v := request.query_params.get(p.name))}
        formats = [
            fmt
            for fmt in _formats()
            if all(getattr(fmt, name) == value for name, value in filters.items())
        ]
        page = self.paginate_queryset(formats) or []
        return _cacheable(self.get_paginated_response(FormatSerializer(page, many=True).data))  # type: ignore[arg-type]  # many


@cache
def _formats() -> list[Format]:
    return all_formats()


@cache
def _descriptions() -> list[dict[str, Any]]:
    return [spec.describe_game() for spec in registry.games()]


def _cacheable(response: Response) -> Response:
    patch_cache_control(response, public=True, max_age=_MAX_AGE)
    return response
