"""Forecasts of tournaments before they start."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.answers import AnswerSerializer, answer
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.api.permissions import Organizes
from tournaments.api.tournaments import TournamentView
from tournaments.reading.forecasts import MAX_ENTRANTS, Forecasts, forecasts


class ForecastSerializer(AnswerSerializer):
    class Meta:
        dataclass = Forecasts
        ref_name = "Forecast"


class ForecastQuerySerializer(StrictSerializer[Any]):
    """The number of entrants to assume."""

    entrants = serializers.IntegerField(
        min_value=0,
        max_value=MAX_ENTRANTS,
        default=0,
        help_text="Number of entrants; ignored if more have entered.",
    )


class ForecastView(TournamentView):
    """The forecast of a tournament for its organizer."""

    permission_classes = (Organizes,)
    query = ("entrants",)
    problems = {"get": (400, 403, 409)}

    @extend_schema(
        operation_id="tournaments_forecast",
        parameters=[ForecastQuerySerializer],
        responses=ForecastSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Forecast a tournament: matches, hours of play, chance that the best wins (organizer).

        The tournament is simulated many times, with results drawn from the ratings.
        """
        query = ForecastQuerySerializer.read(request)
        return answer(forecasts(self.tournament(), query["entrants"]))
