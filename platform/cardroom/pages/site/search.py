"""Search for bots, authors, tournaments and games by name."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from bots.models import Bot
from cardroom.display.format_names import format_words
from engine.declarations import Declaration
from tournaments.models import Tournament
from tournaments.reading import search


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A search result."""

    name: str
    address: str
    about: str


@dataclass(frozen=True, slots=True)
class SearchPart:
    """The results of one kind."""

    title: str
    results: list[SearchHit]
    all: str = ""
    """The address of a list with more results."""


def index(request: HttpRequest) -> HttpResponse:
    """Bots, authors, tournaments and games whose names contain the words of `?q=`."""
    query = search.search_text(request.GET.get("q", ""))
    parts = [part for part in _parts(search.search(query)) if part.results]
    return render(request, "search.html", {"q": query, "parts": parts})


def _parts(findings: search.Findings) -> list[SearchPart]:
    return [
        SearchPart("Games", [_game(game) for game in findings.games]),
        SearchPart("Bots", [_bot(bot) for bot in findings.bots]),
        SearchPart("Authors", [_author(author) for author in findings.authors]),
        SearchPart("Tournaments", [_tournament(tournament) for tournament in findings.tournaments]),
    ]


def _game(game: Declaration) -> SearchHit:
    return SearchHit(game.title, reverse("game", args=[game.name]), game.summary)


def _bot(bot: Bot) -> SearchHit:
    owner = f"by {bot.owner.username if bot.owner else 'Cardroom'}"
    return SearchHit(bot.name, reverse("bot", args=[bot.slug]), bot.description or owner)


def _author(user: User) -> SearchHit:
    return SearchHit(user.username, reverse("author", args=[user.username]), "author or organizer")


def _tournament(tournament: Tournament) -> SearchHit:
    about = f"{format_words(tournament.format)}, {tournament.get_state_display()}"
    return SearchHit(tournament.name, reverse("tournament", args=[tournament.slug]), about)
