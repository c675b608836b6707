"""What a bot has reached and how it plays, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot
from cardroom_base.rest.strict_body import StrictSerializer
from engine import registry
from tournaments.reading import fans
from tournaments.reading.fans import Tally

MOST_OPPONENTS = 500


class TallySerializer(serializers.Serializer[Any]):
    """Won, drawn and lost rated matches."""

    of = serializers.CharField(
        help_text="A bot's slug, a pool, or the number of a side or seat; empty: all."
    )
    matches = serializers.IntegerField()
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()


class FigureSerializer(serializers.Serializer[Any]):
    """A figure of a bot beside the mean of all bots."""

    name = serializers.CharField(source="figure.name")
    title = serializers.CharField(source="figure.title")
    unit = serializers.CharField(
        source="figure.unit",
        help_text="Mean of a `match`, a `deal` or a `move` (ms), or a `share` of the deals.",
    )
    value = serializers.FloatField()
    mean = serializers.FloatField(
        source="field",
        allow_null=True,
        help_text="Of all bots in the forms that this one plays.",
    )
    count = serializers.IntegerField(help_text="Matches, deals or moves behind `value`.")


class ResultsSerializer(serializers.Serializer[Any]):
    """What a bot has reached in a game; matches are counted when their deal group is over."""

    bot = serializers.CharField()
    game = serializers.CharField()
    whole = TallySerializer()
    forms = TallySerializer(many=True)
    against = TallySerializer(
        many=True, help_text=f"The {MOST_OPPONENTS} it met most; two sides are compared."
    )
    partners = TallySerializer(many=True)
    sides = TallySerializer(many=True)
    seats = TallySerializer(many=True)
    figures = FigureSerializer(many=True)
    highlights = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Matches by what they are remembered for: best, worst, comeback, longest.",
    )


class AskedSerializer(StrictSerializer[Any]):
    """Which game."""

    def get_fields(self) -> dict[str, Any]:
        """Those of this site."""
        names = [game.name for game in registry.games()]
        return {"game": serializers.ChoiceField(choices=names)}


class ResultsView(GenericAPIView[Bot]):
    """A bot's results and figures."""

    serializer_class = ResultsSerializer
    filter_backends = ()
    query = ("game",)
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="bots_results_retrieve",
        parameters=[OpenApiParameter("game", str, required=True, description="Such as `cassino`.")],
        responses=ResultsSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Its rated matches in a game by form, opponent, partner, side and seat, and its figures
        beside those of all bots."""
        asked = AskedSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        bot = get_object_or_404(Bot, slug=slug)
        game = asked.validated_data["game"]
        return Response(ResultsSerializer(_told(bot, game)).data)


def _told(bot: Bot, game: str) -> dict[str, Any]:
    found = fans.told_of(bot, game)
    return {
        "bot": bot.slug,
        "game": game,
        "whole": _row("", found.whole),
        "forms": _rows(found.forms),
        "against": _rows([(met.slug, tally) for met, tally in found.versus[:MOST_OPPONENTS]]),
        "partners": _rows([(met.slug, tally) for met, tally in found.partners[:MOST_OPPONENTS]]),
        "sides": _rows(found.sides),
        "seats": _rows(found.seats),
        "figures": found.figures,
        "highlights": {kind: match for kind, (match, _) in found.matches.items()},
    }


def _rows(found: Sequence[tuple[object, Tally]]) -> list[dict[str, Any]]:
    return [_row(str(key), tally) for key, tally in found]


def _row(of: str, tally: Tally) -> dict[str, Any]:
    return {
        "of": of,
        "matches": tally.matches,
        "won": tally.won,
        "drawn": tally.drawn,
        "lost": tally.lost,
    }
