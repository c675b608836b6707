"""Where luck went in a tournament."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.kept import COMING, as_of, being_made
from tournaments.api.tournaments import TournamentView
from tournaments.reading.kept import read
from tournaments.reading.kinds import LUCK
from tournaments.reading.names import names_of


class SkillSerializer(serializers.Serializer[Any]):
    """How well an entry did, whatever its cards."""

    entry = serializers.CharField(help_text="Its title.")
    bot = serializers.CharField(help_text="Slug of its (first) bot.")
    points = serializers.FloatField(help_text="Points of score a match above the mean of all.")


class LuckSerializer(serializers.Serializer[Any]):
    """What moved the scores of the matches, from complete deal groups without faults."""

    tournament = serializers.CharField()
    as_of = as_of()
    groups = serializers.IntegerField(help_text="Deal groups behind it.")
    variance = serializers.FloatField(
        allow_null=True, help_text="Of a side’s score around the mean of its match."
    )
    cards = serializers.FloatField(
        allow_null=True, help_text="Share of the variance that the cards explain, 0 to 1."
    )
    players = serializers.FloatField(
        allow_null=True, help_text="Share that lasting differences between entries explain."
    )
    rest = serializers.FloatField(allow_null=True, help_text="What is left.")
    skills = SkillSerializer(many=True, help_text="The best first.")


class LuckView(TournamentView):
    """How much of the results was luck of the deal."""

    serializer_class = LuckSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="tournaments_luck_retrieve", responses={200: LuckSerializer, 202: COMING}
    )
    def get(self, request: Request, slug: str) -> Response:
        """Shares of cards, players and rest; null while there are too few deal groups."""
        tournament = self.tournament()
        kept = read(LUCK, tournament)
        if kept.coming:
            return being_made("Where luck went is")
        found = kept.value
        known = names_of(tournament)
        skills = sorted(found.skills.items(), key=lambda pair: -pair[1]) if found else []
        return Response(
            {
                "tournament": tournament.slug,
                "as_of": kept.at,
                "groups": found.groups if found else 0,
                "variance": found.variance if found else None,
                "cards": found.cards if found else None,
                "players": found.players if found else None,
                "rest": found.rest if found else None,
                "skills": [
                    {
                        "entry": known[pk].title,
                        "bot": known[pk].members[0].slug,
                        "points": points,
                    }
                    for pk, points in skills
                ],
            }
        )
