"""Announcements of a tournament."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.strict_body import StrictSerializer
from tournaments import actions
from tournaments.api.permissions import OrganizesOrReads
from tournaments.api.tournaments import TournamentView
from tournaments.course import field_rules
from tournaments.models import Announcement


class AnnouncementSerializer(serializers.ModelSerializer[Announcement]):
    """A dated text of the organizer."""

    by = serializers.CharField(
        source="by.username", allow_null=True, default=None, help_text="Null: the site itself."
    )
    text = serializers.CharField(help_text="Markdown.")
    changed = serializers.DateTimeField(
        allow_null=True, help_text="When the text last changed; null: never."
    )

    class Meta:
        model = Announcement
        fields = ("id", "at", "by", "text", "changed")
        read_only_fields = fields


class NewAnnouncementSerializer(StrictSerializer[Any]):
    """The text of an announcement."""

    text = serializers.CharField(
        max_length=field_rules.MAX_DESCRIPTION, help_text="Markdown, without images and HTML."
    )


class AnnouncementList(TournamentView, ListAPIView[Announcement]):
    """The announcements of a tournament."""

    serializer_class = AnnouncementSerializer
    permission_classes = (OrganizesOrReads,)
    ordering_fields = ("at",)
    problems = {"post": (409,)}

    def get_queryset(self) -> QuerySet[Announcement]:
        """Announcements, newest first."""
        if getattr(self, "swagger_fake_view", False):
            return Announcement.objects.none()
        return self.tournament().announcements.select_related("by")

    @extend_schema(
        operation_id="tournaments_announcements_create",
        request=NewAnnouncementSerializer,
        responses={201: AnnouncementSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Announce something to everybody who sees the tournament (organizer)."""
        tournament = self.tournament()
        body = NewAnnouncementSerializer.read(request)
        by: Any = request.user
        announcement = actions.post_announcement(tournament, by, body["text"])
        return Response(AnnouncementSerializer(announcement).data, 201)


class AnnouncementDetail(TournamentView):
    """One announcement."""

    serializer_class = AnnouncementSerializer
    permission_classes = (OrganizesOrReads,)
    filter_backends = ()

    def announcement(self) -> Announcement:
        """The announcement of the address."""
        rows = self.tournament().announcements.select_related("by", "tournament")
        return get_object_or_404(rows, pk=self.kwargs["pk"])

    @extend_schema(operation_id="tournaments_announcements_retrieve")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return an announcement."""
        return Response(AnnouncementSerializer(self.announcement()).data)

    @extend_schema(
        operation_id="tournaments_announcements_partial_update",
        request=NewAnnouncementSerializer,
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change the text of an announcement (organizer); its date stays."""
        announcement = self.announcement()
        body = NewAnnouncementSerializer.read(request)
        by: Any = request.user
        changed = actions.change_announcement(announcement, by, body["text"])
        return Response(AnnouncementSerializer(changed).data)

    @extend_schema(operation_id="tournaments_announcements_destroy", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete an announcement (organizer)."""
        by: Any = request.user
        actions.delete_announcement(self.announcement(), by)
        return Response(status=204)
