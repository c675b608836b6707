"""Pages of authors: their bots, and the tournaments that these won or that the author organized.

All viewers see the same public data. Closed accounts have no page. Users without a bot and without
a public tournament have none, either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from bots.models import Bot
from cardroom.pages.bots import statistics
from cardroom.pages.bots.statistics import NotableMatchRow
from cardroom.pages.common import queries
from tournaments.models import BotTotal
from tournaments.reading import authors as author_rows
from tournaments.reading.bot_results import Tally


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot of an author."""

    bot: Bot
    rating: statistics.PoolRating | None
    """The rating in the form that the bot has played most."""
    results: Tally | None
    """The results of all its rated matches."""


def find_author(name: str) -> User:
    """The author with this name; 404 if there is none."""
    user = author_rows.authors().filter(username=name).first()
    if user is None:
        raise Http404(f"No author is called {name}.")
    return user


def author(request: HttpRequest, author: str) -> HttpResponse:
    """The page of an author."""
    bots, more = author_rows.bots_of(author)
    user = bots[0].owner if bots else find_author(author)
    assert user is not None  # noqa: S101 - for the type checker
    organized, titles = author_rows.tournaments_of(user)
    results, best = author_rows.results_of(bots)
    context = {
        "author": user,
        "rows": _rows(bots, results),
        "more": more,
        "titles": titles,
        "best": _best(best, bots),
        "organized": organized,
        "mine": request.user.pk == user.pk,
    }
    return render(request, "authors/author.html", context)


def _rows(bots: Sequence[Bot], results: Mapping[int, Tally]) -> list[BotRow]:
    """The author's bots, the best rated first."""
    rating_rows = queries.list_ratings(author_rows.ratings_of(bots).values())
    ratings = {
        rating.line.rating.version.bot_id: rating for rating in statistics.pool_ratings(rating_rows)
    }
    rows = [BotRow(bot, ratings.get(bot.pk), results.get(bot.pk)) for bot in bots]
    return sorted(rows, key=lambda row: -row.rating.line.value if row.rating else 1e9)


def _best(row: BotTotal | None, bots: Sequence[Bot]) -> tuple[Bot, NotableMatchRow] | None:
    """The bot that beat the strongest opponent, and that match; None if viewers may not see it."""
    if row is None:
        return None
    bot = next(bot for bot in bots if bot.pk == row.bot_id)
    marks = [(row.kind, row.key, row.total)]
    matches = statistics.notable_matches(bot, marks, queries.list_matches_by_key([row.key]))
    return (bot, matches[0]) if matches else None
