"""Search of the whole site: bots, authors, tournaments, games, by name.

Names that begin with the words come first, found by an index; then those that have them elsewhere,
of the newest rows only. So it costs the same however much there is. Only what is in everybody's
lists is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from bots.models import Bot
from bots.names import skeleton
from cardroom.pages import authors
from cardroom.pages.formats import words
from engine import registry

SHOWN: Final = 8
"""Of each kind."""
LONGEST: Final = 60
"""Characters of what is searched for; the rest is not read."""
NEWEST: Final = 5_000
"""Rows that are searched for words inside a name."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was found."""

    name: str
    address: str
    about: str


@dataclass(frozen=True, slots=True)
class Part:
    """What was found of one kind."""

    title: str
    found: list[Found]
    all: str = ""
    """Where there are more like these."""


def index(request: HttpRequest) -> HttpResponse:
    """What has the words of `?q=` in its name."""
    asked = _cleaned(request.GET.get("q", ""))
    parts = [part for part in _parts(asked) if part.found] if asked else []
    return render(request, "search.html", {"q": asked, "parts": parts})


def _cleaned(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text[:LONGEST])
    return " ".join(printable.split())


def _parts(asked: str) -> list[Part]:
    return [
        Part("Games", _games(asked)),
        Part("Bots", _bots(asked)),
        Part("Authors", _authors(asked)),
        Part("Tournaments", _tournaments(asked)),
    ]


def _games(asked: str) -> list[Found]:
    """By the names of games and their variants."""
    wanted = asked.casefold()
    return [
        Found(game.title, reverse("game", args=[game.name]), game.summary)
        for game in registry.games()
        if any(
            wanted in title.casefold()
            for title in (game.name, game.title, *(each.title for each in game.variants))
        )
    ][:SHOWN]


def _bots(asked: str) -> list[Found]:
    rows = _named(Bot.objects.select_related("owner"), "skeleton", skeleton(asked), exact=True)
    return [
        Found(
            bot.name,
            reverse("bot", args=[bot.slug]),
            bot.description or f"by {bot.owner.username if bot.owner else 'Cardroom'}",
        )
        for bot in rows
    ]


def _authors(asked: str) -> list[Found]:
    rows = _named(authors.authors(), "looks__skeleton", skeleton(asked), exact=True)
    return [
        Found(user.username, reverse("author", args=[user.username]), "author or organizer")
        for user in rows
    ]


def _tournaments(asked: str) -> list[Found]:
    rows = _named(authors.public(), "name", asked)
    return [
        Found(
            each.name,
            reverse("tournament", args=[each.slug]),
            f"{words(each.format)}, {each.get_state_display()}",
        )
        for each in rows
    ]


def _named(rows: QuerySet[M], name: str, wanted: str, *, exact: bool = False) -> Sequence[M]:
    """Rows with `wanted` at the beginning of the field `name`, else inside it; the newest first.

    `exact`: both are written in one case.
    """
    if not wanted:
        return []
    lookup = "" if exact else "i"
    begins = Q(**{f"{name}__{lookup}startswith": wanted})
    first = list(rows.filter(begins).order_by("-pk")[:SHOWN])
    if len(first) == SHOWN:
        return first
    newest: QuerySet[Any] = rows.model._default_manager.order_by("-pk")[:NEWEST]  # noqa: SLF001 - of any model
    inside = rows.filter(Q(**{f"{name}__{lookup}contains": wanted}), pk__in=newest.values("pk"))
    others = inside.exclude(begins).order_by("-pk")[: SHOWN - len(first)]
    return [*first, *others]
