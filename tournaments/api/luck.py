"""Where luck went in a tournament."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from cardroom_base.rest.answers import AnswerSerializer, answer
from tournaments.api.kept import COMING, being_made
from tournaments.api.tournaments import TournamentView
from tournaments.reading.kept import read
from tournaments.reading.kinds import LUCK
from tournaments.reading.luck import Luck, luck_of


class LuckView(TournamentView):
    """How much of the results was luck of the deal."""

    @extend_schema(
        operation_id="tournaments_luck_retrieve",
        responses={200: AnswerSerializer(dataclass=Luck), 202: COMING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Shares of cards, players and rest; null while there are too few deal groups."""
        tournament = self.tournament()
        kept = read(LUCK, tournament)
        if kept.coming:
            return being_made("Where luck went is")
        return answer(luck_of(tournament, kept.value, kept.at))
