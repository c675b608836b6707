"""A bot's results, its figures, and the decisions by which it loses points."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.models import Bot
from cardroom_base.rest.answers import AnswerSerializer, answer
from cardroom_base.rest.strict_body import StrictSerializer
from engine import registry
from tournaments.reading.bot_results import Results, results_of
from tournaments.reading.losses import Losses, losses_of


class GameQuerySerializer(StrictSerializer[Any]):
    """The query of a bot's statistics in a game."""

    def get_fields(self) -> dict[str, Any]:
        """Accept the games of this site."""
        names = [game.name for game in registry.games()]
        return {"game": serializers.ChoiceField(choices=names)}


class ResultsView(APIView):
    """A bot's results and figures."""

    query = ("game",)
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="bots_results_retrieve",
        parameters=[OpenApiParameter("game", str, required=True, description="Such as `cassino`.")],
        responses=AnswerSerializer(dataclass=Results),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return a bot's rated matches in a game by form, opponent, partner, side and seat, and its
        figures beside those of all bots."""
        query = GameQuerySerializer.read(request)
        return answer(results_of(get_object_or_404(Bot, slug=slug), query["game"]))


class LossesView(APIView):
    """The decisions by which a bot loses points."""

    query = ("game",)
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="bots_losses_retrieve",
        parameters=[OpenApiParameter("game", str, required=True, description="Such as `cassino`.")],
        responses=AnswerSerializer(dataclass=Losses),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the points that a bot lost in its last analysed matches of a game, by phase of the
        deal, verb of the move, opponent and version."""
        query = GameQuerySerializer.read(request)
        return answer(losses_of(get_object_or_404(Bot, slug=slug), query["game"]))
