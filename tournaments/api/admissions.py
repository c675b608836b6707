"""Who sees a tournament, and joining it by link or code."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.api.permissions import HasAccount
from cardroom_base.core.scopes import ORGANIZE
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments import actions
from tournaments.actions.admissions import MAX_INVITED
from tournaments.api.permissions import Organizes
from tournaments.api.serializers import TournamentSerializer
from tournaments.api.tournaments import TournamentView
from tournaments.models import Tournament
from tournaments.reading.admissions import admissions_of
from tournaments.reading.queries import with_progress

Visibility = Tournament.Visibility


class VisibilityChangeSerializer(StrictSerializer[Any]):
    """A change of a tournament's visibility; absent fields stay as they are."""

    visibility = serializers.ChoiceField(Visibility.choices, required=False)
    invited = serializers.ListField(
        child=serializers.CharField(max_length=150),
        max_length=MAX_INVITED,
        required=False,
        help_text="The usernames of all invited people, who see the tournament regardless of its "
        "visibility.",
    )
    renew = serializers.BooleanField(
        required=False,
        help_text="Whether to replace the link or code; accounts that joined by the old one lose "
        "access, unless they were invited or have a bot in the tournament.",
    )


class VisibilitySerializer(serializers.Serializer[Any]):
    """Who sees a tournament."""

    visibility = serializers.ChoiceField(Visibility.choices)
    link = serializers.CharField(
        allow_null=True, help_text="The link to join by; null unless the visibility is by link."
    )
    code = serializers.CharField(
        allow_null=True, help_text="The code to join by; null unless the visibility is by code."
    )
    invited = serializers.ListField(child=serializers.CharField(), help_text="Usernames.")
    joined = serializers.IntegerField(help_text="Accounts that joined by the present link or code.")


class VisibilityView(TournamentView):
    """Who sees a tournament."""

    serializer_class = VisibilitySerializer
    permission_classes = (Organizes,)
    filter_backends = ()
    pagination_class = None
    problems = {"get": (403,), "post": (409,)}

    @extend_schema(operation_id="tournaments_visibility_retrieve", responses=VisibilitySerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return who sees a tournament, with its link or code (organizer)."""
        return self._answer(self.tournament())

    @extend_schema(
        operation_id="tournaments_visibility",
        request=VisibilityChangeSerializer,
        responses={200: VisibilitySerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Change who sees a tournament (organizer); the log shows the change.

        Rated tournaments are visible to all. After the end, a tournament can only be shown to all.
        """
        body = VisibilityChangeSerializer.read(request)
        by: Any = request.user
        return self._answer(actions.set_visibility(self.tournament(), by, **body))

    def _answer(self, tournament: Tournament) -> Response:
        admissions = admissions_of(tournament)
        link = admissions.link and self.request.build_absolute_uri(admissions.link)
        body = {
            "visibility": tournament.visibility,
            "link": link or None,
            "code": admissions.code or None,
            "invited": admissions.invited,
            "joined": admissions.joined,
        }
        return Response(
            VisibilitySerializer(body).data, headers={"Cache-Control": "private, no-store"}
        )


class CodeSerializer(StrictSerializer[Any]):
    """A code, or the secret of a link."""

    code = serializers.CharField(
        max_length=40, help_text="The code, or the part of the link after `invitation=`."
    )


class Joins(HasAccount):
    """Allows anyone with an account to join by a link or code."""

    scope = ORGANIZE


class JoinView(GenericAPIView[Tournament]):
    """Joining by link or code."""

    serializer_class = TournamentSerializer
    permission_classes = (Joins,)
    filter_backends = ()
    throttle_scope = "join"
    problems = {"post": (400, 429)}

    @extend_schema(
        operation_id="join", request=CodeSerializer, responses={200: TournamentSerializer}
    )
    def post(self, request: Request) -> Response:
        """Enter the code or link of a tournament once; from then on your account sees it."""
        body = CodeSerializer.read(request)
        by: Any = request.user
        tournament = actions.join(body["code"], by)
        row = with_progress(Tournament.objects.filter(pk=tournament.pk)).get()
        return Response(self.get_serializer(row).data)
