"""Matches: results, records, frames, attempts, logs."""

from __future__ import annotations

import hashlib
import zlib
from importlib.metadata import version
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.api.permissions import HasAccount
from cardroom_base.core.errors import ActionError
from engine import Record
from tournaments import actions
from tournaments.access import log_of, organizes
from tournaments.api.filters import AnyMatchFilter
from tournaments.api.match_serializers import (
    AnalysisSerializer,
    AttemptSerializer,
    DecisionSerializer,
    FramesSerializer,
    LogSerializer,
    MatchSerializer,
    RecordSerializer,
)
from tournaments.api.permissions import EntersOrReads, Organizes
from tournaments.models import NOT_YET, Attempt, Match, Seat, StoredRecord
from tournaments.reading.analyses import analysis_of
from tournaments.reading.matches import match_rows
from tournaments.reading.queries import listed_matches, readable_matches

_NOT_CHANGED = OpenApiResponse(description="It is what `If-None-Match` names.")


class Matches(ListAPIView[Match]):
    """A list of matches: found by models that have their keys only, shown out of plain rows."""

    serializer_class = MatchSerializer
    ordering_fields = ("id", "finished", "moves_played")
    by_key = True

    def paginate_queryset(self, queryset: Any) -> Any:
        """What is shown of the matches of a page."""
        page = super().paginate_queryset(queryset.only(*self.ordering_fields)) or []
        return match_rows([match.pk for match in page])


class MatchList(Matches):
    """Matches of all tournaments, newest first."""

    filterset_class = AnyMatchFilter

    def get_queryset(self) -> QuerySet[Match]:
        """Drafts have no matches: there is nothing to hide."""
        return listed_matches().order_by("-pk")


class MatchDetail(RetrieveAPIView[Match]):
    """One match."""

    serializer_class = MatchSerializer

    def get_queryset(self) -> QuerySet[Match]:
        """All but the trials of others."""
        return readable_matches(self.request.user).only("pk")

    def get_object(self) -> Any:
        """What is shown of it."""
        return match_rows([super().get_object().pk])[0]


class RecordView(GenericAPIView[Match]):
    """The record of a finished match."""

    serializer_class = RecordSerializer
    filter_backends = ()
    queryset = Match.objects.all()
    problems = {"get": (409,)}

    @extend_schema(
        operation_id="matches_record_retrieve",
        responses={200: RecordSerializer, 304: _NOT_CHANGED},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """The record as a file, as `cardroom verify` reads it; 404 before the end.

        409 `not-yet` while the same cards are played at other tables.
        """
        stored = _record(request, pk)
        etag = _etag(bytes(stored.content))
        if (same := get_conditional_response(request._request, etag=etag)) is not None:  # noqa: SLF001 - DRF's request has no public name for Django's
            return _with_etag(same, etag)
        name = f"match-{pk}.json"
        response = HttpResponse(
            zlib.decompress(stored.content),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )
        return _with_etag(response, etag)


@method_decorator(gzip_page, name="dispatch")  # a megabyte for 800 moves, a twentieth packed
class FramesView(GenericAPIView[Match]):
    """A finished match, step by step."""

    serializer_class = FramesSerializer
    filter_backends = ()
    queryset = Match.objects.all()
    problems = {"get": (409,)}

    @extend_schema(
        operation_id="matches_frames_retrieve",
        responses={200: FramesSerializer, 304: _NOT_CHANGED},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """The frames that a viewer draws without knowing any rules; 404 before the end.

        409 `not-yet` while the same cards are played at other tables.
        """
        stored = _record(request, pk)
        # Another version of the rules may describe the same moves in other words.
        etag = _etag(bytes(stored.content), version("cardroom").encode())
        if (same := get_conditional_response(request._request, etag=etag)) is not None:  # noqa: SLF001 - DRF's request has no public name for Django's
            return _with_etag(same, etag)
        record = Record.from_json(zlib.decompress(stored.content))
        body = {
            "match": pk,
            "format": record.format,
            "players": record.players,
            "frames": list(record.frames()),
        }
        return _with_etag(Response(body), etag)


@method_decorator(gzip_page, name="dispatch")
class AnalysisView(GenericAPIView[Match]):
    """Why it was lost: each move beside what the expert would have played."""

    serializer_class = AnalysisSerializer
    permission_classes = (EntersOrReads,)
    filter_backends = ()
    queryset = Match.objects.all()
    problems = {"get": (409,), "post": (409,), "delete": (409,)}

    @extend_schema(operation_id="matches_analysis_retrieve", responses=AnalysisSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The analysis of a finished match, as far as it has come; 404 before the end.

        409 `not-yet` while the same cards are played at other tables.
        """
        return self._told(_record(request, pk).match)

    @extend_schema(
        operation_id="matches_analysis_create",
        request=None,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Have a finished match analysed; 202 until it is done.

        Nothing changes if it is there or asked for, unless an older version of the expert made it.
        """
        match = _record(request, pk).match
        by: Any = request.user
        actions.ask_analysis(match, by)
        return self._told(match, requested=True)

    @extend_schema(operation_id="matches_analysis_destroy", responses=AnalysisSerializer)
    def delete(self, request: Request, pk: int) -> Response:
        """Stop an unfinished analysis; only its asker and staff may.

        Finished moves are kept: POST resumes there. 409 if the analysis is not unfinished.
        """
        match = _record(request, pk).match
        by: Any = request.user
        actions.stop_analysis(match, by)
        return self._told(match)

    def _told(self, match: Match, *, requested: bool = False) -> Response:
        analysis = analysis_of(match)
        return Response(
            AnalysisSerializer(analysis).data,
            202 if requested and analysis.unfinished else 200,
            headers={"Cache-Control": "private, no-cache"},
        )


class AttemptList(ListAPIView[Attempt]):
    """Every try to establish a match's result."""

    serializer_class = AttemptSerializer
    ordering_fields = ("number", "started")

    def get_queryset(self) -> QuerySet[Attempt]:
        """Oldest first."""
        if getattr(self, "swagger_fake_view", False):
            return Attempt.objects.none()
        return self._match().attempts.defer("record").order_by("number")

    def get_serializer_context(self) -> dict[str, Any]:
        """Whoever runs the tournament sees causes and workers."""
        context = dict(super().get_serializer_context())
        if not getattr(self, "swagger_fake_view", False):
            context["organizes"] = organizes(self._match().tournament, self.request.user)
        return context

    def _match(self) -> Match:
        matches = readable_matches(self.request.user).select_related("tournament")
        return get_object_or_404(matches, pk=self.kwargs["pk"])


class LogView(GenericAPIView[Seat]):
    """What the bot in a seat wrote to stderr."""

    serializer_class = LogSerializer
    permission_classes = (HasAccount,)
    filter_backends = ()
    problems = {"get": (403, 409)}

    @extend_schema(operation_id="matches_logs_retrieve", responses=LogSerializer)
    def get(self, request: Request, pk: int, seat: int) -> Response:
        """The end of the bot's log, at most 64 KiB (owner of the bot, staff).

        409 `not-yet` while the same cards are played at other tables.
        """
        try:
            _, log = log_of(pk, seat, request.user)
        except Seat.DoesNotExist:
            raise NotFound(f"Match {pk} has no seat {seat}.") from None
        return Response(
            {"match": pk, "seat": seat, "log": log},
            headers={"Cache-Control": "private, no-cache"},
        )


class MatchDecisionView(GenericAPIView[Match]):
    """A decision about a match and its deal group.

    In a rated tournament the organizer decides about stuck matches only, staff about all.
    """

    serializer_class = MatchSerializer
    permission_classes = (Organizes,)
    problems = {"post": (409,)}
    filter_backends = ()

    def decide(self, pk: int, decision: Any) -> Response:
        """Do it and show the match that is there now."""
        match = get_object_or_404(Match.objects.select_related("tournament"), pk=pk)
        self.check_object_permissions(self.request, match.tournament)
        body = DecisionSerializer(data=self.request.data)
        body.is_valid(raise_exception=True)
        now = decision(match, self.request.user, body.validated_data["reason"])
        row: Any = match_rows([now.pk])[0]
        return Response(MatchSerializer(row).data)


class Rerun(MatchDecisionView):
    """Play a match again."""

    @extend_schema(
        operation_id="matches_rerun",
        request=DecisionSerializer,
        responses={200: MatchSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Play a match again, with new cards and its whole deal group (organizer).

        Results of the group are set aside. The answer is the match that has taken its place.
        """
        return self.decide(pk, actions.rerun_match)


class Void(MatchDecisionView):
    """Leave a match out."""

    @extend_schema(
        operation_id="matches_void",
        request=DecisionSerializer,
        responses={200: MatchSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Leave a match out, with its whole deal group: it does not count (organizer).

        Nobody has won or lost it. For each side the group counts as the mean of its other deal
        groups; in a knock-out the other groups decide. Later rounds and stages that no longer
        follow are paired again.
        """
        return self.decide(pk, actions.void_match)


def _record(request: Request, pk: int) -> StoredRecord:
    match = get_object_or_404(readable_matches(request.user).select_related("record"), pk=pk)
    stored: StoredRecord | None = getattr(match, "record", None)
    if stored is None or match.state != Match.State.FINISHED:
        raise NotFound(
            f"Match {pk} is {match.get_state_display()}; it has a record when it is finished."
        )
    if not match.revealed:
        raise ActionError(NOT_YET, "not-yet")
    return stored


def _etag(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return f'"{digest.hexdigest()[:32]}"'


def _with_etag(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    """A record never changes, but an organizer may have a match played again: ask each time."""
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    return response
