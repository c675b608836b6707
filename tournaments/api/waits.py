"""Why a tournament's matches wait, and how urgent they are."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.access import organizes
from tournaments.actions.deal_groups import MAX_PRIORITY
from tournaments.actions.tournaments import set_priority
from tournaments.api.permissions import Organizes
from tournaments.api.tournaments import TournamentView
from tournaments.queue.waits import tournament_wait


class WaitSerializer(serializers.Serializer[Any]):
    """What a tournament waits for."""

    waiting = serializers.IntegerField(help_text="Matches that no worker has yet.")
    expected_wait = serializers.FloatField(
        source="seconds", allow_null=True, help_text="Seconds until they are played; null: unknown."
    )
    reason = serializers.CharField(allow_blank=True, help_text="Why they wait, for people.")


class WaitView(TournamentView):
    """Why a tournament waits, and about how long."""

    serializer_class = WaitSerializer
    filter_backends = ()
    pagination_class = None

    @extend_schema(operation_id="tournaments_wait", responses=WaitSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Why a tournament waits, and about how long, with workers shared out fairly."""
        found = self.tournament()
        wait = tournament_wait(found, organizer=organizes(found, request.user))
        return Response(WaitSerializer(wait).data)


class PrioritySerializer(StrictSerializer[Any]):
    """How urgent a tournament's matches are."""

    priority = serializers.IntegerField(
        min_value=0, max_value=MAX_PRIORITY, help_text="More is played first; above 5 is for staff."
    )


class PriorityView(TournamentView):
    """How urgent a tournament's matches are."""

    serializer_class = PrioritySerializer
    permission_classes = (Organizes,)
    filter_backends = ()

    @extend_schema(operation_id="tournaments_priority", responses={200: PrioritySerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Change the priority; waiting matches are moved as well (organizer)."""
        asked = PrioritySerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        by = request.user if request.user.is_authenticated else None
        changed = set_priority(self.tournament(), asked.validated_data["priority"], by)
        return Response({"priority": changed.priority})
