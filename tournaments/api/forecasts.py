"""What a tournament will be like, before it starts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.api.permissions import Organizes
from tournaments.api.tournaments import TournamentView
from tournaments.reading.forecasts import MAX_ENTRANTS, Outlook, forecasts


class RangeSerializer(serializers.Serializer[Any]):
    """A number that depends on results."""

    mean = serializers.FloatField()
    low = serializers.IntegerField()
    high = serializers.IntegerField()


class OutlookSerializer(serializers.Serializer[Outlook]):
    """The forecast with some number of deal groups."""

    factor = serializers.IntegerField(help_text="How many times as many deal groups as are chosen.")
    groups = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of a pairing, by stage."
    )
    runs = serializers.IntegerField(
        source="forecast.runs", help_text="How often the tournament was simulated."
    )
    rounds = RangeSerializer(source="forecast.rounds")
    deal_groups = RangeSerializer(source="forecast.groups")
    matches = RangeSerializer(source="forecast.matches")
    hours = serializers.FloatField(help_text="Of computing, on the present workers.")
    best_wins = serializers.FloatField(
        source="forecast.best_wins", help_text="Chance that the strongest entrant comes first."
    )
    best_wins_error = serializers.FloatField(
        source="forecast.error", help_text="Half the 95 % interval of that chance."
    )
    best_in_top_3 = serializers.FloatField(source="forecast.best_in_top")


class ForecastSerializer(serializers.Serializer[Any]):
    """What a tournament will be like."""

    entrants = serializers.IntegerField()
    rated = serializers.IntegerField(help_text="Of them, those with a rating in the format.")
    seconds_a_match = serializers.FloatField(source="seconds")
    matches_measured = serializers.IntegerField(
        source="measured", help_text="Matches behind that figure; 0 if it is an estimate."
    )
    workers = serializers.IntegerField()
    outlooks = OutlookSerializer(many=True)


class AskedSerializer(StrictSerializer[Any]):
    """For how many."""

    entrants = serializers.IntegerField(
        min_value=0,
        max_value=MAX_ENTRANTS,
        default=0,
        help_text="Used if more than have entered so far.",
    )


class ForecastView(TournamentView):
    """The organizer's dry run."""

    serializer_class = ForecastSerializer
    permission_classes = (Organizes,)
    query = ("entrants",)
    problems = {"get": (400, 403, 409)}
    filter_backends = ()
    pagination_class = None

    @extend_schema(
        operation_id="tournaments_forecast",
        parameters=[AskedSerializer],
        responses=ForecastSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Matches, hours of computing, and how surely the best wins, before the start (organizer).

        The tournament is simulated many times, with results drawn from the ratings.
        """
        asked = AskedSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        found = forecasts(self.tournament(), asked.validated_data["entrants"])
        return Response(ForecastSerializer(found).data)
