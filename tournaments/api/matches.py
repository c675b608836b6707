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
from cardroom_base.core.request_limits import MAX_REPLAYED
from engine import Record
from tournaments import actions
from tournaments.access import log_of
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
from tournaments.models import NOT_YET, TOO_LONG, Attempt, Match, Seat, StoredRecord
from tournaments.organizing import organizes
from tournaments.reading.analyses import analysis_of
from tournaments.reading.matches import match_rows
from tournaments.visibility import listed_matches, readable_matches, viewer_of

_NOT_CHANGED = OpenApiResponse(description="The version in `If-None-Match` is still current.")


class Matches(ListAPIView[Match]):
    """A list of matches. The query loads only the `ordering_fields`; the rows of a page are read
    afterwards."""

    serializer_class = MatchSerializer
    ordering_fields = ("id", "finished", "moves_played")
    by_key = True

    def paginate_queryset(self, queryset: Any) -> Any:
        """The rows of the matches on a page."""
        page = super().paginate_queryset(queryset.only(*self.ordering_fields)) or []
        return match_rows([match.pk for match in page])


class MatchList(Matches):
    """Matches of all tournaments, newest first."""

    filterset_class = AnyMatchFilter

    def get_queryset(self) -> QuerySet[Match]:
        """The matches that the user sees in lists."""
        return listed_matches(viewer_of(self.request)).order_by("-pk")


class MatchDetail(RetrieveAPIView[Match]):
    """One match."""

    serializer_class = MatchSerializer

    def get_queryset(self) -> QuerySet[Match]:
        """The matches that the user may read."""
        return readable_matches(viewer_of(self.request)).only("pk")

    def get_object(self) -> Any:
        """The row of the match."""
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
        """Download the record, a file for `cardroom verify`; 404 before the end of the match.

        409 `not-yet` until the deal group is over.
        """
        stored = _record(request, pk)
        etag = _etag(bytes(stored.content))
        if (not_modified := get_conditional_response(request._request, etag=etag)) is not None:  # noqa: SLF001 - DRF's request has no public name for Django's
            return _with_etag(not_modified, etag)
        name = f"match-{pk}.json"
        response = HttpResponse(
            zlib.decompress(stored.content),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )
        return _with_etag(response, etag)


@method_decorator(gzip_page, name="dispatch")  # reduces a megabyte for 800 moves to a twentieth
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
        """Return the frames of a match, for clients that do not know the rules; 404 before its end.

        409 `not-yet` until the deal group is over; 409 also for a match of more than 10,000 moves.
        """
        stored = _record(request, pk)
        # Another version of the program may describe the same moves in other words.
        etag = _etag(bytes(stored.content), version("cardroom").encode())
        if (not_modified := get_conditional_response(request._request, etag=etag)) is not None:  # noqa: SLF001 - DRF's request has no public name for Django's
            return _with_etag(not_modified, etag)
        if stored.moves > MAX_REPLAYED:
            raise ActionError(TOO_LONG, "conflict")
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
    """The expert's analysis of a match: each move beside the expert's own."""

    serializer_class = AnalysisSerializer
    permission_classes = (EntersOrReads,)
    filter_backends = ()
    queryset = Match.objects.all()
    problems = {"get": (409,), "post": (409,), "delete": (409,)}

    @extend_schema(operation_id="matches_analysis_retrieve", responses=AnalysisSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the analysis of a finished match, or its progress; 404 before the match's end.

        409 `not-yet` until the deal group is over.
        """
        return self._answer(_record(request, pk).match)

    @extend_schema(
        operation_id="matches_analysis_create",
        request=None,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Request the analysis of a finished match; 202 until it is finished.

        This has no effect if an analysis by the current expert is finished, waiting or running; a
        stopped one resumes.
        """
        match = _record(request, pk).match
        by: Any = request.user
        actions.request_analysis(match, by)
        return self._answer(match, requested=True)

    @extend_schema(operation_id="matches_analysis_destroy", responses=AnalysisSerializer)
    def delete(self, request: Request, pk: int) -> Response:
        """Stop an unfinished analysis (the user who requested it, and staff).

        Judged moves are kept, and POST resumes there. 409 if no analysis is waiting or running.
        """
        match = _record(request, pk).match
        by: Any = request.user
        actions.stop_analysis(match, by)
        return self._answer(match)

    def _answer(self, match: Match, *, requested: bool = False) -> Response:
        analysis = analysis_of(match)
        return Response(
            AnalysisSerializer(analysis).data,
            202 if requested and analysis.unfinished else 200,
            headers={"Cache-Control": "private, no-cache"},
        )


class AttemptList(ListAPIView[Attempt]):
    """All attempts to play a match."""

    serializer_class = AttemptSerializer
    ordering_fields = ("number", "started")

    def get_queryset(self) -> QuerySet[Attempt]:
        """Attempts, oldest first."""
        if getattr(self, "swagger_fake_view", False):
            return Attempt.objects.none()
        return self._match().attempts.defer("record").order_by("number")

    def get_serializer_context(self) -> dict[str, Any]:
        """Pass on whether the user organizes the tournament, and so may see causes and workers."""
        context = dict(super().get_serializer_context())
        if not getattr(self, "swagger_fake_view", False):
            context["organizes"] = organizes(self._match().tournament, self.request.user)
        return context

    def _match(self) -> Match:
        matches = readable_matches(viewer_of(self.request)).select_related("tournament")
        return get_object_or_404(matches, pk=self.kwargs["pk"])


class LogView(GenericAPIView[Seat]):
    """The log of the bot on a seat."""

    serializer_class = LogSerializer
    permission_classes = (HasAccount,)
    filter_backends = ()
    problems = {"get": (403, 409)}

    @extend_schema(operation_id="matches_logs_retrieve", responses=LogSerializer)
    def get(self, request: Request, pk: int, seat: int) -> Response:
        """Return the last 64 KiB that the bot wrote to stderr (owner of the bot, staff).

        409 `not-yet` until the deal group is over.
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

    In a rated tournament the organizer may decide only about stuck matches; staff about all.
    """

    serializer_class = MatchSerializer
    permission_classes = (Organizes,)
    problems = {"post": (409,)}
    filter_backends = ()

    def decide(self, pk: int, decision: Any) -> Response:
        """Make the decision; return the match, or the match that replaced it."""
        matches = readable_matches(viewer_of(self.request)).select_related("tournament")
        match = get_object_or_404(matches, pk=pk)
        self.check_object_permissions(self.request, match.tournament)
        body = DecisionSerializer(data=self.request.data)
        body.is_valid(raise_exception=True)
        new_match = decision(match, self.request.user, body.validated_data["reason"])
        row: Any = match_rows([new_match.pk])[0]
        return Response(MatchSerializer(row).data)


class Rerun(MatchDecisionView):
    """Play a match again."""

    @extend_schema(
        operation_id="matches_rerun",
        request=DecisionSerializer,
        responses={200: MatchSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Play the whole deal group of a match again, with new cards (organizer).

        The group's results are withdrawn. Returns the match that has replaced this one.
        """
        return self.decide(pk, actions.rerun_match)


class Void(MatchDecisionView):
    """Void a match."""

    @extend_schema(
        operation_id="matches_void",
        request=DecisionSerializer,
        responses={200: MatchSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Void a match with its whole deal group, which then does not count (organizer).

        Nobody wins or loses the group. For each entrant it counts as the mean of that entrant's
        other deal groups in the division; in a knock-out the other groups decide. Later rounds and
        stages that no longer follow from the results are paired again.
        """
        return self.decide(pk, actions.void_match)


def _record(request: Request, pk: int) -> StoredRecord:
    """The record of a match. Raises NotFound, ActionError before the deal group is over."""
    match = get_object_or_404(readable_matches(viewer_of(request)).select_related("record"), pk=pk)
    stored: StoredRecord | None = getattr(match, "record", None)
    if stored is None or match.state != Match.State.FINISHED:
        raise NotFound(
            f"Match {pk} is {match.get_state_display()}; only finished matches have a record."
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
    """Make clients revalidate each time: an organizer may have a match played again."""
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    return response
