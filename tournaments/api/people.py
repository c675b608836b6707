"""Authors, and the search of the whole site."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.models import Bot
from cardroom_base.rest.strict_body import StrictSerializer
from tournaments.models import Rating
from tournaments.reading import authors, search
from tournaments.reading.bot_results import Tally
from tournaments.reading.listed_tournaments import ListedTournament


class FoundSerializer(serializers.Serializer[Any]):
    """A search result."""

    slug = serializers.CharField(help_text="Slug, or an author's user name.")
    name = serializers.CharField()


class FindingsSerializer(serializers.Serializer[Any]):
    """The results of a search, a few of each kind, best first."""

    q = serializers.CharField(help_text="The normalized query.")
    games = FoundSerializer(many=True)
    bots = FoundSerializer(many=True)
    authors = FoundSerializer(many=True)
    tournaments = FoundSerializer(many=True)


class SearchedSerializer(StrictSerializer[Any]):
    """The query of a search."""

    q = serializers.CharField(max_length=search.MAX_LENGTH)


class SearchView(APIView):
    """Search of the whole site."""

    query = ("q",)
    problems = {"get": (400,)}

    @extend_schema(
        operation_id="search_retrieve",
        parameters=[
            OpenApiParameter(
                "q", str, required=True, description=f"At most {search.MAX_LENGTH} characters."
            )
        ],
        responses=FindingsSerializer,
    )
    def get(self, request: Request) -> Response:
        """Find games, bots, authors and tournaments with these words in their names."""
        query = SearchedSerializer.read(request)
        words = search.search_text(query["q"])
        result = search.search(words)
        answer = {
            "q": words,
            "games": [{"slug": game.name, "name": game.title} for game in result.games],
            "bots": result.bots,
            "authors": [{"slug": user.username, "name": user.username} for user in result.authors],
            "tournaments": result.tournaments,
        }
        return Response(FindingsSerializer(answer).data)


class AuthorBotSerializer(serializers.Serializer[Any]):
    """A bot of an author, with rating and results."""

    bot = serializers.CharField(help_text="The bot's slug.")
    name = serializers.CharField()
    pool = serializers.CharField(
        allow_blank=True,
        help_text="The pool with most of the bot's rated matches; empty before the first match.",
    )
    rating = serializers.FloatField(
        allow_null=True,
        help_text="Fitted rating in that pool; before the first fit, live Elo.",
    )
    matches = serializers.IntegerField(help_text="Rated matches in all games.")
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()


class AuthorTournamentSerializer(serializers.Serializer[ListedTournament]):
    """A tournament of an author."""

    slug = serializers.CharField(source="tournament.slug")
    name = serializers.CharField(source="tournament.name")
    format = serializers.CharField(source="tournament.format")
    state = serializers.CharField(source="tournament.state")
    moment = serializers.DateTimeField(
        source="when",
        allow_null=True,
        help_text="Time of the end, else of the start, else of the opening.",
    )


class AuthorSerializer(serializers.Serializer[Any]):
    """An author: bots, tournaments organized and won."""

    name = serializers.CharField()
    since = serializers.DateTimeField()
    bots = AuthorBotSerializer(many=True, help_text=f"The first {authors.BOTS} by name.")
    more = serializers.BooleanField(help_text="Whether there are more bots.")
    won = AuthorTournamentSerializer(many=True, help_text="Recent tournaments won outright.")
    organized = AuthorTournamentSerializer(
        many=True, help_text=f"The last {authors.ORGANIZED} organized."
    )
    best = serializers.IntegerField(
        allow_null=True, help_text="The match won against the strongest opponent."
    )


class AuthorView(GenericAPIView[User]):
    """An author."""

    serializer_class = AuthorSerializer
    filter_backends = ()

    @extend_schema(operation_id="authors_retrieve", responses=AuthorSerializer)
    def get(self, request: Request, author: str) -> Response:
        """Return an author's bots with ratings and results, and public tournaments."""
        user = get_object_or_404(authors.authors(), username=author)
        bots, more = authors.bots_of(author)
        results, best = authors.results_of(bots)
        ratings = authors.ratings_of(bots)
        organized, won = authors.tournaments_of(user)
        answer = {
            "name": user.username,
            "since": user.date_joined,
            "bots": [_bot(bot, ratings.get(bot.pk), results.get(bot.pk, Tally())) for bot in bots],
            "more": more,
            "won": won,
            "organized": organized,
            "best": best.key if best is not None else None,
        }
        return Response(AuthorSerializer(answer).data)


def _bot(bot: Bot, rating: Rating | None, results: Tally) -> dict[str, Any]:
    value = None if rating is None else rating.live if rating.fitted is None else rating.fitted
    return {
        "bot": bot.slug,
        "name": bot.name,
        "pool": "" if rating is None else rating.pool,
        "rating": value,
        "matches": results.matches,
        "won": results.won,
        "drawn": results.drawn,
        "lost": results.lost,
    }
