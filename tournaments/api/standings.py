"""Standings, cross table, brackets, luck and export of one tournament."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.core.errors import ActionError
from cardroom_base.rest.answers import AnswerSerializer, answer
from cardroom_base.rest.rendering import FastJSONRenderer
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.api import standings_tables
from tournaments.api.cached_answers import COMING, ComingSerializer, as_of, pending_answer
from tournaments.api.filters import MatchFilter
from tournaments.api.match_serializers import DealGroupSerializer
from tournaments.api.matches import Matches
from tournaments.api.serializers import CrossTableSerializer, StandingsSerializer
from tournaments.api.tournaments import TournamentView
from tournaments.course import field_rules
from tournaments.exports import chunks, export_files
from tournaments.exports.rows import as_csv, as_json
from tournaments.models import DealGroup, Match, Tournament, group_is_over
from tournaments.reading.brackets import Bracket, brackets_from_json, has_bracket
from tournaments.reading.categories import category_rows
from tournaments.reading.content_cache import read_for
from tournaments.reading.kinds import LUCK, TABLES
from tournaments.reading.luck import Luck, luck_of
from tournaments.visibility import FROZEN, readable_matches, sees_only_frozen_results, viewer_of


class CategorySerializer(StrictSerializer[Any]):
    """A category of a tournament."""

    category = serializers.CharField(max_length=field_rules.MAX_CATEGORY, default="")


class StandingsView(TournamentView):
    """The standings of a running or finished tournament."""

    serializer_class = StandingsSerializer
    renderer_classes = (FastJSONRenderer,)
    filter_backends = ()
    query = ("category",)
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="tournaments_standings_retrieve",
        parameters=[
            OpenApiParameter("category", str, description="Only entries of this category.")
        ],
        responses={200: StandingsSerializer, 202: COMING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the standings, best first, with a row for each entry."""
        tournament = self.tournament()
        category = CategorySerializer.read(request)["category"]
        if category and category not in tournament.categories:
            raise ValidationError({"category": "This tournament has no such category."})
        cached = read_for(TABLES, tournament, viewer_of(request))
        if cached.value is None:
            return pending_answer("The standings are")
        head = _heading(tournament, cached.at)
        head["tie_breaks"] = standings_tables.tie_breaks(tournament)
        table = cached.value
        if category:
            table = replace(table, rows=category_rows(tournament, table.rows, category))
        return Response(head | {"rows": standings_tables.standings(tournament, table)})


class CrossTableView(TournamentView):
    """The cross table of a tournament."""

    serializer_class = CrossTableSerializer
    renderer_classes = (FastJSONRenderer,)
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_crosstable_retrieve",
        responses={200: CrossTableSerializer, 202: COMING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the cross table in the order of the standings."""
        tournament = self.tournament()
        cached = read_for(TABLES, tournament, viewer_of(request))
        if cached.value is None:
            return pending_answer("The cross table is")
        rows = standings_tables.cross_table(tournament, cached.value)
        return Response(_heading(tournament, cached.at) | {"rows": rows})


class TournamentMatchList(TournamentView, Matches):
    """The matches of a tournament."""

    filterset_class = MatchFilter

    def get_queryset(self) -> QuerySet[Match]:
        """Matches in the order of their pairing."""
        if getattr(self, "swagger_fake_view", False):
            return Match.objects.none()
        matches = readable_matches(viewer_of(self.request))
        return matches.filter(tournament=self.tournament()).order_by("pk")


class DealGroupList(TournamentView, ListAPIView[DealGroup]):
    """The commitments to a tournament's cards."""

    serializer_class = DealGroupSerializer
    ordering_fields = ("number",)

    def get_queryset(self) -> QuerySet[DealGroup]:
        """The deal groups in the order of their creation, each with the commitment to its seed.

        Store the commitments before the groups are played, and compare them with the seeds later.
        """
        if getattr(self, "swagger_fake_view", False):
            return DealGroup.objects.none()
        tournament = self.tournament()
        groups = DealGroup.objects.filter(tournament=tournament).select_related("stage")
        if sees_only_frozen_results(tournament, viewer := viewer_of(self.request)):
            groups = groups.filter(pk__in=readable_matches(viewer).values("deal_group"))
        matches = Prefetch("matches", Match.objects.only("deal_group"))
        groups = groups.annotate(is_over=group_is_over("pk"))
        return groups.prefetch_related(matches).order_by("number")


class ExportChoiceSerializer(StrictSerializer[Any]):
    """The table and the file format of an export."""

    table = serializers.ChoiceField(sorted(standings_tables.TABLES), default="standings")
    type = serializers.ChoiceField(["csv", "json", "archive"], default="csv")


class ExportView(TournamentView):
    """Tables for spreadsheets and programs."""

    serializer_class = ExportChoiceSerializer
    filter_backends = ()
    query = ("table", "type")
    problems = {"get": (400, 409, 503)}

    @extend_schema(
        operation_id="tournaments_export_retrieve",
        parameters=[
            OpenApiParameter(
                "table",
                str,
                enum=sorted(standings_tables.TABLES),
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
            (202, "application/json"): OpenApiResponse(
                ComingSerializer,
                description="The file is large and is being written; repeat the request.",
            ),
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Download standings, cross table, ratings or results, or an archive of everything.

        For a large tournament, archive and results are written on request; the answer is 202 until
        they are ready.
        """
        tournament = self.tournament()
        query = ExportChoiceSerializer.read(request)
        table, kind = query["table"], query["type"]
        if sees_only_frozen_results(tournament, viewer_of(request)):
            raise ActionError(FROZEN, "conflict")
        if kind == "archive":
            _refuse_before_start(tournament)
            return _file(request, tournament, export_files.ARCHIVE)
        if table == "results":
            return _file(request, tournament, export_files.RESULTS[kind])
        try:
            rows = standings_tables.TABLES[table](tournament)
        except standings_tables.NotComputedError:
            return pending_answer("The table is")
        media_type = "text/csv; charset=utf-8" if kind == "csv" else "application/json"
        return HttpResponse(
            as_csv(rows) if kind == "csv" else as_json(rows),
            content_type=media_type,
            headers=_attachment_headers(f"{tournament.slug}-{table}.{kind}"),
        )


def _refuse_before_start(tournament: Tournament) -> None:
    if tournament.started is None:
        raise ActionError(f"{tournament.name} has no archive until it starts.", "conflict")


def _file(
    request: Request, tournament: Tournament, kind: export_files.FileKind
) -> HttpResponseBase:
    """Answer with the file, streamed while it is written or sent from the cache, or with 202."""
    row, cheap = export_files.find_file(kind, tournament)
    name = kind.file_name(tournament)
    if cheap:
        return _download(kind.write(tournament), kind, _attachment_headers(name))
    if row is None or row.export is None or row.at is None:
        return pending_answer("The file is")
    etag = f'"{row.pk}-{row.at.timestamp():.6f}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    headers = {"ETag": etag, "Last-Modified": http_date(row.at.timestamp())}
    headers["Content-Length"] = str(row.export.size)
    return _download(chunks.read(row.export), kind, headers | _attachment_headers(name))


def _download(
    content: Iterable[bytes], kind: export_files.FileKind, headers: dict[str, str]
) -> StreamingHttpResponse:
    return StreamingHttpResponse(content, content_type=kind.media_type, headers=headers)


def _attachment_headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _heading(tournament: Tournament, as_of: datetime | None) -> dict[str, Any]:
    return {"tournament": tournament.slug, "state": tournament.state, "as_of": as_of}


# --- luck ---------------------------------------------------------------------------------------


class LuckView(TournamentView):
    """The share of the cards in a tournament's results."""

    @extend_schema(
        operation_id="tournaments_luck_retrieve",
        responses={200: AnswerSerializer(dataclass=Luck), 202: COMING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the shares of cards, players and rest; null if there are too few deal groups."""
        tournament = self.tournament()
        cached = read_for(LUCK, tournament, viewer_of(request))
        if cached.coming:
            return pending_answer("The luck table is")
        return answer(luck_of(tournament, cached.value, cached.at))


# --- brackets -----------------------------------------------------------------------------------


class BracketsSerializer(serializers.Serializer[Any]):
    """The brackets of a tournament, in the order of its stages."""

    tournament = serializers.CharField()
    state = serializers.ChoiceField(Tournament.State.choices)
    as_of = as_of()
    brackets = AnswerSerializer(dataclass=Bracket, many=True)


class BracketView(TournamentView):
    """The brackets of knock-outs."""

    serializer_class = BracketsSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_bracket_retrieve",
        responses={200: BracketsSerializer, 202: COMING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the brackets of the knock-outs; 404 if there is none, or none has begun."""
        tournament = self.tournament()
        if not has_bracket(tournament):
            raise NotFound(_no_bracket_text(tournament), code="no-bracket")
        cached = read_for(TABLES, tournament, viewer_of(request))
        if cached.value is None:
            return pending_answer("The bracket is")
        brackets = brackets_from_json(tournament, cached.value.brackets)
        if not brackets:
            raise NotFound(_no_bracket_text(tournament), code="no-bracket")
        body = {
            "tournament": tournament.slug,
            "state": tournament.state,
            "as_of": cached.at,
            "brackets": brackets,
        }
        return Response(BracketsSerializer(body).data)


def _no_bracket_text(tournament: Tournament) -> str:
    if has_bracket(tournament):
        return f"{tournament.name} has no bracket until its knock-out stage begins."
    return f"{tournament.name} has no bracket; see its standings/ and crosstable/."
