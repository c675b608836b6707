"""Co-organizers of a tournament."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from bots.api.permissions import HasAccount
from cardroom_base.core.scopes import ORGANIZE
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments import actions
from tournaments.actions.organizers import MAX_CO_ORGANIZERS
from tournaments.api.serializers import TournamentSerializer
from tournaments.api.tournaments import TournamentView
from tournaments.models import Tournament
from tournaments.reading.queries import with_progress


class OrganizersChangeSerializer(StrictSerializer[Any]):
    """Usernames of co-organizers to add and to remove, and of one to become the organizer."""

    add = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=MAX_CO_ORGANIZERS, required=False
    )
    remove = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=MAX_CO_ORGANIZERS, required=False
    )
    organizer = serializers.CharField(
        max_length=150,
        required=False,
        allow_blank=True,
        help_text=(
            "From the organizer: the co-organizer to offer the tournament to, or an empty text to "
            "withdraw the offer. From that co-organizer: their own name, to accept. Then the "
            "organizer becomes a co-organizer."
        ),
    )


class ChangesOrganizers(HasAccount):
    """Allows all accounts; the action checks whether the user is organizer or co-organizer."""

    scope = ORGANIZE


class OrganizersView(TournamentView):
    """Adding and removing co-organizers, and handing the tournament over."""

    serializer_class = TournamentSerializer
    permission_classes = (ChangesOrganizers,)
    filter_backends = ()
    pagination_class = None
    problems = {"post": (400, 409)}

    @extend_schema(
        operation_id="tournaments_organizers",
        request=OrganizersChangeSerializer,
        responses={200: TournamentSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add and remove co-organizers, or offer the tournament to one of them (organizer).

        Co-organizers may do everything that the organizer may, except this; they may remove
        themselves, and accept the offer. The log shows the changes.
        """
        body = OrganizersChangeSerializer.read(request)
        by: Any = request.user
        organizer = body.pop("organizer", None)
        with transaction.atomic():
            tournament = self.tournament()
            if body or organizer is None:
                tournament = actions.change_organizers(tournament, by, **body)
            if organizer is not None:
                tournament = actions.hand_over(tournament, by, organizer)
        row = with_progress(Tournament.objects.filter(pk=tournament.pk)).get()
        return Response(TournamentSerializer(row, context=self.get_serializer_context()).data)
