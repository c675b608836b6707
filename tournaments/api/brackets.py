"""The brackets of a tournament as JSON."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.answers import AnswerSerializer
from tournaments.api.kept import COMING, as_of, being_made
from tournaments.api.tournaments import TournamentView
from tournaments.models import Tournament
from tournaments.reading.brackets import Bracket, has_bracket, resolved
from tournaments.reading.kept import read
from tournaments.reading.kinds import TABLES


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
