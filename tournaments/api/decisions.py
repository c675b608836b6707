"""Decisions of organizers: the log of a tournament, reruns of rounds, other rules."""

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

_MAX_NUMBER = 2**31 - 1


class DealtSerializer(serializers.Serializer[Any]):
    """A redealt group."""

    old = serializers.IntegerField(help_text="Number of the retired deal group.")
    new = serializers.IntegerField(help_text="Number of the deal group that replaced it.")

    def to_representation(self, instance: list[int]) -> dict[str, Any]:
        """Convert the stored pair of numbers."""
        old, new = instance
        return {"old": old, "new": new}


class LoggedDecisionSerializer(serializers.ModelSerializer[Decision]):
    """An entry of a tournament's log."""

    by = serializers.CharField(
        source="by.username",
        allow_null=True,
        default=None,
        help_text="The user who decided; null: the site itself.",
    )
    kind = serializers.ChoiceField(Decision.Kind.choices)
    own = serializers.BooleanField(
        help_text="Whether that user has a bot in the deal groups concerned."
    )
    dealt = DealtSerializer(many=True, help_text="Redealt groups.")

    class Meta:
        model = Decision
        fields = ("at", "by", "kind", "what", "reason", "match", "own", "dealt")
        read_only_fields = fields


class DecisionList(TournamentView, ListAPIView[Decision]):
    """The log of a tournament."""

    serializer_class = LoggedDecisionSerializer
    ordering_fields = ("at",)

    def get_queryset(self) -> QuerySet[Decision]:
        """Log entries, oldest first."""
        if getattr(self, "swagger_fake_view", False):
            return Decision.objects.none()
        return self.tournament().decisions.select_related("by").order_by("pk")


class CarryOverSerializer(StrictSerializer[Any]):
    """The reason for carrying a tournament over to other rules."""

    reason = serializers.CharField(max_length=300, help_text="Everybody can read it.")


class CarryOver(TournamentChange):
    """Continue a running tournament under the rules in force."""

    @extend_schema(
        operation_id="tournaments_carry_over",
        request=CarryOverSerializer,
        responses={200: TournamentSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Continue a tournament under the rules in force (organizer; if rated: staff).

        The results so far stay.
        """
        tournament = self.tournament()
        body = CarryOverSerializer.read(request)
        by: Any = request.user
        actions.carry_over(tournament, by, body["reason"])
        return self.current_answer(tournament)


class RoundSerializer(StrictSerializer[Any]):
    """The round of a rerun, and the reason."""

    stage = serializers.IntegerField(min_value=1, max_value=_MAX_NUMBER, default=1)
    round = serializers.IntegerField(min_value=1, max_value=_MAX_NUMBER)
    reason = serializers.CharField(max_length=300, help_text="Everybody can read it.")


class RoundRerun(TournamentChange):
    """Rerun a round."""

    @extend_schema(
        operation_id="tournaments_rounds_rerun",
        request=RoundSerializer,
        responses={200: TournamentSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Play a round again with new cards, in all divisions of its stage (organizer).

        Later rounds are then computed again. In a rated tournament, an organizer's rerun includes
        only deal groups with a stuck match; a rerun by staff includes all.
        """
        tournament = self.tournament()
        body = RoundSerializer.read(request)
        by: Any = request.user
        actions.rerun_round(tournament, body["stage"], body["round"], by, body["reason"])
        return self.current_answer(tournament)
