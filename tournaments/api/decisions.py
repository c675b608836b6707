"""What an organizer decided about a tournament: the log, a round played again, other rules."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.strict_body import StrictSerializer
from tournaments import actions
from tournaments.api.serializers import TournamentSerializer
from tournaments.api.tournaments import TournamentChange, TournamentView
from tournaments.models import Decision

_LARGEST = 2**31 - 1


class DealtSerializer(serializers.Serializer[Any]):
    """A deal group that got new cards."""

    old = serializers.IntegerField(help_text="Its number; it was set aside.")
    new = serializers.IntegerField(help_text="Number of the deal group that replaced it.")

    def to_representation(self, instance: list[int]) -> dict[str, Any]:
        """Kept as a pair of numbers."""
        old, new = instance
        return {"old": old, "new": new}


class LoggedDecisionSerializer(serializers.ModelSerializer[Decision]):
    """One line of a tournament's log."""

    by = serializers.CharField(
        source="by.username",
        allow_null=True,
        default=None,
        help_text="Null: the site, as a consequence of another decision.",
    )
    kind = serializers.ChoiceField(Decision.Kind.choices)
    own = serializers.BooleanField(
        help_text="Whether the person who decided has a bot among those affected."
    )
    dealt = DealtSerializer(many=True, help_text="The deal groups that got new cards.")

    class Meta:
        model = Decision
        fields = ("at", "by", "kind", "what", "reason", "match", "own", "dealt")
        read_only_fields = fields


class DecisionList(TournamentView, ListAPIView[Decision]):
    """What was decided, and what followed from it."""

    serializer_class = LoggedDecisionSerializer
    ordering_fields = ("at",)

    def get_queryset(self) -> QuerySet[Decision]:
        """Oldest first."""
        if getattr(self, "swagger_fake_view", False):
            return Decision.objects.none()
        return self.tournament().decisions.select_related("by").order_by("pk")


class CarryOverSerializer(StrictSerializer[Any]):
    """The reason for carrying a tournament over to other rules."""

    reason = serializers.CharField(max_length=300, help_text="Everybody can read it.")


class CarryOver(TournamentChange):
    """Let a running tournament go on under the rules in force."""

    @extend_schema(
        operation_id="tournaments_carry_over",
        request=CarryOverSerializer,
        responses={200: TournamentSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Let it go on under the rules in force (organizer; rated: staff). What is played stays."""
        tournament = self.tournament()
        body = CarryOverSerializer.read(request)
        by: Any = request.user
        actions.carry_over(tournament, by, body["reason"])
        return self.shown(tournament)


class RoundSerializer(StrictSerializer[Any]):
    """A round, and why it is played again."""

    stage = serializers.IntegerField(min_value=1, max_value=_LARGEST, default=1)
    round = serializers.IntegerField(min_value=1, max_value=_LARGEST)
    reason = serializers.CharField(max_length=300, help_text="Everybody can read it.")


class RoundRerun(TournamentChange):
    """Play a round again."""

    @extend_schema(
        operation_id="tournaments_rounds_rerun",
        request=RoundSerializer,
        responses={200: TournamentSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Play a round again, in all divisions of its stage, with new cards (organizer).

        Later rounds follow. In a rated tournament the organizer has only those deal groups played
        again in which a match is stuck; staff have them all played again.
        """
        tournament = self.tournament()
        body = RoundSerializer.read(request)
        by: Any = request.user
        actions.rerun_round(tournament, body["stage"], body["round"], by, body["reason"])
        return self.shown(tournament)
