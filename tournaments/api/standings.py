"""Standings, cross table, matches and export of one tournament."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.actions import ActionError
from bots.api.asking import Asked
from tournaments.api import export, tables
from tournaments.api.filters import MatchFilter
from tournaments.api.match_serializers import DealGroupSerializer, MatchSerializer
from tournaments.api.serializers import CrossTableSerializer, StandingsSerializer
from tournaments.api.tournaments import TournamentView
from tournaments.exports.archive import archive_of
from tournaments.models import Fixture, Match, Tournament, over
from tournaments.reading.queries import with_seats


class StandingsView(TournamentView):
    """The standings, while it runs and after."""

    serializer_class = StandingsSerializer
    filter_backends = ()

    @extend_schema(operation_id="tournaments_standings_retrieve", responses=StandingsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The standings, best first; everybody entered has a row."""
        tournament = self.tournament()
        head = _headed(tournament, tables.standings(tournament))
        head["tie_breaks"] = tables.tie_breaks(tournament)
        return Response(StandingsSerializer(head).data)


class CrossTableView(TournamentView):
    """Who did what against whom."""

    serializer_class = CrossTableSerializer
    filter_backends = ()

    @extend_schema(operation_id="tournaments_crosstable_retrieve", responses=CrossTableSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The cross table in the order of the standings."""
        tournament = self.tournament()
        rows = tables.cross_table(tournament)
        return Response(CrossTableSerializer(_headed(tournament, rows)).data)


class TournamentMatchList(TournamentView, ListAPIView[Match]):
    """The matches of a tournament."""

    serializer_class = MatchSerializer
    filterset_class = MatchFilter
    ordering_fields = ("id", "finished", "moves_played")

    def get_queryset(self) -> QuerySet[Match]:
        """In the order of the pairing."""
        if getattr(self, "swagger_fake_view", False):
            return Match.objects.none()
        return with_seats(Match.objects.filter(tournament=self.tournament()).order_by("pk"))


class DealGroupList(TournamentView, ListAPIView[Fixture]):
    """The commitments to a tournament's cards."""

    serializer_class = DealGroupSerializer
    ordering_fields = ("number",)

    def get_queryset(self) -> QuerySet[Fixture]:
        """Its deal groups in the order in which they were made, each with the hash of its seed.

        Note them before they are played, and compare afterwards.
        """
        if getattr(self, "swagger_fake_view", False):
            return Fixture.objects.none()
        groups = Fixture.objects.filter(tournament=self.tournament()).select_related("stage")
        matches = Prefetch("matches", Match.objects.only("fixture"))
        return groups.annotate(is_over=over("pk")).prefetch_related(matches).order_by("number")


class ExportChoiceSerializer(Asked[Any]):
    """Which table, as what."""

    table = serializers.ChoiceField(sorted(export.TABLES), default="standings")
    type = serializers.ChoiceField(["csv", "json", "archive"], default="csv")


class ExportView(TournamentView):
    """Tables for spreadsheets and programs."""

    serializer_class = ExportChoiceSerializer
    filter_backends = ()
    query = ("table", "type")
    problems = {"get": (400, 409)}

    @extend_schema(
        operation_id="tournaments_export_retrieve",
        parameters=[
            OpenApiParameter(
                "table",
                str,
                enum=sorted(export.TABLES),
                default="standings",
                description="`results` has one row for each side of each finished match.",
            ),
            OpenApiParameter(
                "type",
                str,
                enum=["csv", "json", "archive"],
                default="csv",
                description="`archive`: all tables and records in one zip, for `cardroom verify`.",
            ),
        ],
        responses={
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="A file."),
            (200, "application/json"): {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {}},
            },
            (200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, description="A zip."),
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Standings, cross table, ratings or all results as a file, or all in one archive."""
        tournament = self.tournament()
        asked = ExportChoiceSerializer(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        table, kind = asked.validated_data["table"], asked.validated_data["type"]
        if kind == "archive":
            return _archive(tournament)
        rows = export.TABLES[table](tournament)
        body = export.as_csv(rows) if kind == "csv" else export.as_json(rows)
        media_type = "text/csv; charset=utf-8" if kind == "csv" else "application/json"
        name = f"{tournament.slug}-{table}.{kind}"
        response = StreamingHttpResponse if table == "results" else HttpResponse
        return response(
            body,
            content_type=media_type,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def _archive(tournament: Tournament) -> HttpResponseBase:
    """The archive, sent while it is made."""
    if tournament.started is None:
        raise ActionError(
            f"{tournament.name} has not started; there is an archive of it when it has.", "conflict"
        )
    name = f"{tournament.slug}.zip"
    return StreamingHttpResponse(
        archive_of(tournament),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _headed(tournament: Tournament, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tournament": tournament.slug, "state": tournament.state, "rows": rows}
