"""Where a bot loses points, by the analyses of its last matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot
from tournaments.api.fans import AskedSerializer
from tournaments.reading.losses import LATEST, Lost, losses_of

MOST_ROWS = 500
"""Rows of a table: those with most decisions."""


class LostSerializer(serializers.Serializer[Any]):
    """Decisions of one kind, and what they lost."""

    of = serializers.CharField(
        help_text="A part of the deal, a verb, names of opponents or the number of a version; "
        "empty: all, or moves without a verb."
    )
    decisions = serializers.IntegerField()
    points = serializers.FloatField(help_text="Lost to the expert's moves with a decision, mean.")
    accuracy = serializers.FloatField(allow_null=True, help_text="Of 100; null: not known.")


class LossesSerializer(serializers.Serializer[Any]):
    """Where a bot loses points in a game."""

    bot = serializers.CharField()
    game = serializers.CharField()
    matches = serializers.IntegerField(
        help_text=f"Analysed matches behind this: the last {LATEST} at most."
    )
    whole = LostSerializer()
    phases = LostSerializer(many=True)
    acts = LostSerializer(many=True, help_text="By the verb of the move's sentence.")
    against = LostSerializer(many=True)
    versions = LostSerializer(many=True)


class LossesView(GenericAPIView[Bot]):
    """Where a bot loses points."""

    serializer_class = LossesSerializer
    filter_backends = ()
    query = ("game",)
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="bots_losses_retrieve",
        parameters=[OpenApiParameter("game", str, required=True, description="Such as `cassino`.")],
        responses=LossesSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """What its last analysed matches in a game cost it: early and late in a deal, by what it
        does, against whom and in which version."""
        asked = AskedSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        bot = get_object_or_404(Bot, slug=slug)
        game = asked.validated_data["game"]
        found = losses_of(bot, game)
        told = {
            "bot": bot.slug,
            "game": game,
            "matches": found.whole.matches,
            "whole": _row("", found.whole),
            "phases": _rows(found.phases),
            "acts": _rows(found.acts),
            "against": _rows(found.against),
            "versions": _rows({str(number): lost for number, lost in found.versions.items()}),
        }
        return Response(LossesSerializer(told).data)


def _rows(found: Mapping[str, Lost]) -> list[dict[str, Any]]:
    ranked = sorted(found.items(), key=lambda pair: (-pair[1].decisions, pair[0]))
    return [_row(of, lost) for of, lost in ranked[:MOST_ROWS]]


def _row(of: str, lost: Lost) -> dict[str, Any]:
    return {
        "of": of,
        "decisions": lost.decisions,
        "points": round(lost.mean, 4),
        "accuracy": None if lost.accuracy is None else round(lost.accuracy, 2),
    }
