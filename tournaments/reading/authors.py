"""Pages of authors: users with a bot or a public tournament, except closed accounts.

They are the same for all readers, and omit tournaments that public lists omit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from bots.models import Bot
from tournaments.models import BotTotal, Entry, Rating, Tournament
from tournaments.reading import listed_tournaments
from tournaments.reading.bot_results import Tally, public_totals, tallies
from tournaments.visibility import public_tournaments

BOTS: Final = 30
ORGANIZED: Final = 10
MAX_TOURNAMENTS: Final = 30
"""Maximum number of tournaments that are read: the last that the author organized, or that the
author's bots played to the end."""


def authors() -> QuerySet[User]:
    """All users with a page."""
    bots = Bot.objects.filter(owner=OuterRef("pk"))
    organized = public_tournaments().filter(organizer=OuterRef("pk"))
    return User.objects.filter(Exists(bots) | Exists(organized), is_active=True)


def bots_of(name: str) -> tuple[list[Bot], bool]:
    """(up to `BOTS` bots of the author with this name, sorted; whether there are more)."""
    rows = Bot.objects.filter(owner__username=name, owner__is_active=True)
    rows = rows.filter(quarantined__isnull=True)
    bots = list(rows.select_related("owner", "active_version").order_by("name")[: BOTS + 1])
    return bots[:BOTS], len(bots) > BOTS


def ratings_of(bots: Sequence[Bot]) -> dict[int, Rating]:
    """By bot: the rating of its active version in the pool in which it has played most."""
    ratings = Rating.objects.filter(
        version__in=[bot.active_version_id for bot in bots if bot.active_version_id],
        kind=Rating.Kind.ALL,
        pool__contains="/",
    )
    rating_by_bot: dict[int, Rating] = {}
    for rating in ratings.select_related("version__bot").order_by("matches", "-pk"):
        rating_by_bot[rating.version.bot_id] = rating
    return rating_by_bot


def results_of(bots: Sequence[Bot]) -> tuple[Mapping[int, Tally], BotTotal | None]:
    """(by bot: its rated matches in all games; the win against the strongest opponent in a match
    that everybody may see)."""
    kinds = (BotTotal.Kind.FORM, BotTotal.Kind.BEST)
    rows = list(public_totals().filter(bot__in=bots, kind__in=kinds).order_by("pk"))
    bot_tallies = tallies(
        (str(row.bot_id), "", row.count, row.total, row.drawn)
        for row in rows
        if row.kind == BotTotal.Kind.FORM
    )
    best_wins = [row for row in rows if row.kind == BotTotal.Kind.BEST]
    strongest = max(best_wins, key=lambda row: row.total, default=None)
    return {int(tally.of): tally for tally in bot_tallies}, strongest


def tournaments_of(
    author: User,
) -> tuple[list[listed_tournaments.ListedTournament], list[listed_tournaments.ListedTournament]]:
    """(the last tournaments that the author organized, the last that one of the author's bots won
    alone)."""
    own_entries = Entry.objects.filter(Q(bot__owner=author) | Q(mates__bot__owner=author))
    finished_own = Q(state=Tournament.State.FINISHED, pk__in=own_entries.values("tournament"))
    tournaments = public_tournaments().filter(finished_own | Q(organizer=author))
    tournaments = tournaments.order_by("-opened", "-pk")
    listed = listed_tournaments.list_tournaments(list(tournaments[:MAX_TOURNAMENTS]))
    organized = [row for row in listed if row.tournament.organizer_id == author.pk]
    return organized[:ORGANIZED], [row for row in listed if _is_won(row, author)]


def _is_won(row: listed_tournaments.ListedTournament, author: User) -> bool:
    finished = row.tournament.state == Tournament.State.FINISHED
    if not finished or row.others or len(row.first) != 1:
        return False
    return any(bot.owner_id == author.pk for bot, _ in row.first[0].members())
