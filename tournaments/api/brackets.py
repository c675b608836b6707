"""The brackets of a tournament as JSON."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.kept import COMING, as_of, being_made
from tournaments.api.serializers import PlayerSerializer
from tournaments.api.tournaments import TournamentView
from tournaments.models import Tournament
from tournaments.reading.brackets import has_bracket, resolved
from tournaments.reading.kept import read
from tournaments.reading.kinds import TABLES

STATES = ("bye", "coming", "playing", "decided")


class BracketSideSerializer(serializers.Serializer[Any]):
    """A side of a pairing; all null while it is not known who will play there."""

    seed = serializers.IntegerField(allow_null=True)
    bot = PlayerSerializer(
        source="entry.bot", allow_null=True, help_text="The bot; of a team the first."
    )
    name = serializers.CharField(
        source="entry.title", allow_null=True, help_text="The bot's name; of a team its own."
    )
    points = serializers.FloatField(allow_null=True, help_text="Group points of the pairing.")
    difference = serializers.FloatField(
        allow_null=True, help_text="Score difference, summed over its deal groups."
    )
    winner = serializers.BooleanField()
    through = serializers.BooleanField(help_text="Whether it goes on from there.")


class BracketPairingSerializer(serializers.Serializer[Any]):
    """A pairing, made or still to come."""

    name = serializers.CharField(help_text="Such as `Semifinal 1` or `Losers 2.1`.")
    part = serializers.CharField(
        allow_blank=True, help_text="Winners, Losers or Final; empty where there is one bracket."
    )
    state = serializers.ChoiceField(STATES)
    groups = serializers.IntegerField(help_text="Deal groups with a finished match.")
    sides = BracketSideSerializer(many=True)


class BracketSerializer(serializers.Serializer[Any]):
    """The bracket of one division of a stage."""

    stage = serializers.IntegerField(source="stage.number")
    division = serializers.IntegerField()
    system = serializers.CharField(source="stage.system")
    columns = serializers.ListField(
        child=BracketPairingSerializer(many=True), help_text="From the first round to the last."
    )


class BracketsSerializer(serializers.Serializer[Any]):
    """The brackets of a tournament, in the order of its stages."""

    tournament = serializers.CharField()
    state = serializers.ChoiceField(Tournament.State.choices)
    as_of = as_of()
    brackets = BracketSerializer(many=True)


class BracketView(TournamentView):
    """The brackets of knock-outs."""

    serializer_class = BracketsSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_bracket_retrieve",
        responses={200: BracketsSerializer, 202: COMING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Who meets whom in the knock-outs; 404 where no stage is one, or none has begun."""
        tournament = self.tournament()
        if not has_bracket(tournament):
            raise NotFound(_reason(tournament), code="no-bracket")
        kept = read(TABLES, tournament)
        if kept.value is None:
            return being_made("The bracket is")
        found = resolved(tournament, kept.value.brackets)
        if not found:
            raise NotFound(_reason(tournament), code="no-bracket")
        body = {
            "tournament": tournament.slug,
            "state": tournament.state,
            "as_of": kept.at,
            "brackets": found,
        }
        return Response(BracketsSerializer(body).data)


def _reason(tournament: Tournament) -> str:
    if has_bracket(tournament):
        return f"{tournament.name} has no bracket yet: it is drawn when its knock-out begins."
    return f"{tournament.name} has no bracket; see its standings/ and crosstable/."
