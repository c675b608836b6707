"""Authors: their bots, the tournaments that these won, those that they organized.

Everybody sees the same: what is in no list is not here either. Whoever has neither a bot nor a
tournament that all may see has no page, and a closed account has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from bots.models import Bot
from cardroom.pages import fans, reading, tournament_list
from cardroom.pages.fans import Memorable, Row
from tournaments.models import BotTotal, Entry, Rating, Tournament
from tournaments.reading.fans import Tally

BOTS: Final = 30
ORGANIZED: Final = 10
LOOKED_AT: Final = 30
"""Tournaments with the author's bots, or by the author, that are looked at: the last so many."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot of an author."""

    bot: Bot
    rating: fans.Number | None
    """In the form that it has played most."""
    results: Row | None
    """All its rated matches."""


def authors() -> QuerySet[User]:
    """Everybody who has a page."""
    bots = Bot.objects.filter(owner=OuterRef("pk"))
    organized = public().filter(organizer=OuterRef("pk"))
    return User.objects.filter(Exists(bots) | Exists(organized), is_active=True)


def public() -> QuerySet[Tournament]:
    """The tournaments that are in everybody's lists."""
    return Tournament.objects.visible_to(AnonymousUser()).filter(trial=False)


def find(name: str) -> User:
    """The author of this name, or 404."""
    found = authors().filter(username=name).first()
    if found is None:
        raise Http404(f"No author is called {name}.")
    return found


def author(request: HttpRequest, author: str) -> HttpResponse:
    """An author's page."""
    theirs = Bot.objects.filter(owner__username=author, owner__is_active=True)
    bots = list(theirs.select_related("owner", "active_version").order_by("name")[: BOTS + 1])
    found = bots[0].owner if bots else find(author)
    assert found is not None  # noqa: S101 - for the type checker
    organized, titles = _tournaments(found)
    results, best = _totals(bots[:BOTS])
    context = {
        "author": found,
        "lines": _lines(bots[:BOTS], results),
        "more": len(bots) > BOTS,
        "titles": titles,
        "best": best,
        "organized": organized,
        "mine": request.user.pk == found.pk,
    }
    return render(request, "authors/author.html", context)


def _lines(bots: Sequence[Bot], results: Mapping[int, Row]) -> list[Line]:
    """Best rated first."""
    rated = Rating.objects.filter(
        version__in=[bot.active_version_id for bot in bots if bot.active_version_id],
        kind=Rating.Kind.ALL,
        pool__contains="/",
    )
    most: dict[int, Rating] = {}
    for rating in rated.select_related("version__bot").order_by("matches", "-pk"):
        most[rating.version.bot_id] = rating
    drawn, _ = reading.rating_lines(list(most.values()))
    numbers = {each.line.rating.version.bot_id: each for each in fans.in_words(drawn)}
    lines = [Line(bot, numbers.get(bot.pk), results.get(bot.pk)) for bot in bots]
    return sorted(lines, key=lambda line: -line.rating.line.value if line.rating else 1e9)


def _totals(bots: Sequence[Bot]) -> tuple[dict[int, Row], tuple[Bot, Memorable] | None]:
    """By bot all its rated matches, in all games; and the match won against the strongest."""
    known = {bot.pk: bot for bot in bots}
    kinds = (BotTotal.Kind.FORM, BotTotal.Kind.BEST)
    sums: dict[int, Tally] = {}
    best: BotTotal | None = None
    for row in BotTotal.objects.filter(bot__in=list(known), kind__in=kinds).order_by("pk"):
        if row.bot_id is None:
            continue
        if row.kind == BotTotal.Kind.FORM:
            tally = Tally(row.count, round(row.total - row.drawn / 2), row.drawn)
            sums[row.bot_id] = sums.get(row.bot_id, Tally()) + tally
        elif best is None or row.total > best.total:
            best = row
    return {bot: Row("", tally) for bot, tally in sums.items()}, _best(best, known)


def _best(row: BotTotal | None, known: Mapping[int, Bot]) -> tuple[Bot, Memorable] | None:
    if row is None or row.bot_id is None:
        return None
    bot = known[row.bot_id]
    told = fans.Fan(marks={row.kind: (row.key, row.total)})
    found = fans.memorable(bot, told, fans.lines_of([row.key]))
    return (bot, found[0]) if found else None


def _tournaments(
    author: User,
) -> tuple[list[tournament_list.Line], list[tournament_list.Line]]:
    """The last that the author organized, and those that the author's bots won alone."""
    mine = Entry.objects.filter(Q(bot__owner=author) | Q(mates__bot__owner=author))
    won = Q(state=Tournament.State.FINISHED, pk__in=mine.values("tournament"))
    found = public().filter(won | Q(organizer=author)).order_by("-opened", "-pk")
    lines = tournament_list.lines(list(found[:LOOKED_AT]))
    organized = [line for line in lines if line.tournament.organizer_id == author.pk]
    return organized[:ORGANIZED], [line for line in lines if _won(line, author)]


def _won(line: tournament_list.Line, author: User) -> bool:
    over = line.tournament.state == Tournament.State.FINISHED
    if not over or line.others or len(line.first) != 1:
        return False
    return any(bot.owner_id == author.pk for bot, _ in line.first[0].members())
