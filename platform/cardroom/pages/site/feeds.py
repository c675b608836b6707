"""Atom feeds of the site, a tournament and a bot.

They contain only public data: listed tournaments, and matches whose cards are public.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth.models import AnonymousUser
from django.contrib.syndication.views import Feed
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from bots.models import Bot
from cardroom.display.format_names import format_words
from cardroom.display.markdown import html_of
from cardroom.pages.common import queries
from cardroom.pages.common.queries import ListedMatch
from tournaments.models import Announcement, Match, Tournament, group_is_over
from tournaments.reading.listed_tournaments import ListedTournament, list_tournaments
from tournaments.visibility import NOBODY, public_tournaments, readable_matches

MAX_ITEMS: Final = 30
CACHE_SECONDS: Final = 300
"""The time for which feed readers may cache a feed."""


if TYPE_CHECKING:
    _Feed = Feed[Any, Any]
else:
    _Feed = Feed  # generic only for the type checker


class _Atom(_Feed):
    feed_type = Atom1Feed

    def __call__(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        request.user = AnonymousUser()
        response = super().__call__(request, *args, **kwargs)
        response["Cache-Control"] = f"public, max-age={CACHE_SECONDS}"
        return response


class _MatchFeed(_Atom):
    """A feed of matches, each with its result."""

    def item_title(self, item: ListedMatch) -> str:
        """The sides with their scores."""
        return ", ".join(f"{side.name} {side.score}".replace("-", "−") for side in item.sides)

    def item_description(self, item: ListedMatch) -> str:
        """Format and tournament."""
        return f"{format_words(item.match.format)}, in {item.match.tournament_name}."

    def item_link(self, item: ListedMatch) -> str:
        """The address of the replay."""
        return reverse("match", args=[item.match.pk])

    def item_updateddate(self, item: ListedMatch) -> datetime | None:
        """The end of the match."""
        return item.match.finished


class TournamentFeed(_MatchFeed):
    """The latest results and announcements of a tournament."""

    def get_object(self, request: HttpRequest, slug: str) -> Tournament:  # noqa: ARG002 - as Django calls it
        """The tournament; 404 unless it is listed publicly."""
        return get_object_or_404(public_tournaments(), slug=slug)

    def title(self, source: Tournament) -> str:
        """The name, with the word *results*."""
        return f"{source.name}, results"

    def link(self, source: Tournament) -> str:
        """The address of the tournament's page."""
        return reverse("tournament", args=[source.slug])

    def subtitle(self, source: Tournament) -> str:
        """The format and the state."""
        return f"{format_words(source.format)}, {source.get_state_display()}"

    def items(self, source: Tournament) -> list[Any]:
        """The last finished matches and announcements, newest first."""
        rows = source.announcements.select_related("tournament").order_by("-pk")[:MAX_ITEMS]
        dated: list[tuple[datetime | None, Any]] = [(row.at, row) for row in rows]
        dated += [
            (listed.match.finished, listed)
            for listed in _list_finished(readable_matches(NOBODY).filter(tournament=source))
        ]
        dated.sort(key=itemgetter(0), reverse=True)
        return [item for _, item in dated[:MAX_ITEMS]]

    def item_title(self, item: ListedMatch | Announcement) -> str:
        """The sides with their scores, or the word *Announcement*."""
        return "Announcement" if isinstance(item, Announcement) else super().item_title(item)

    def item_description(self, item: ListedMatch | Announcement) -> str:
        """The text of the announcement, or the match's format and tournament."""
        if isinstance(item, Announcement):
            return html_of(item.text)
        return super().item_description(item)

    def item_link(self, item: ListedMatch | Announcement) -> str:
        """The address of the announcement or of the replay."""
        if not isinstance(item, Announcement):
            return super().item_link(item)
        return f"{reverse('tournament', args=[item.tournament.slug])}#announcement-{item.pk}"

    def item_updateddate(self, item: ListedMatch | Announcement) -> datetime | None:
        """The time of the announcement's last change, or the end of the match."""
        if isinstance(item, Announcement):
            return item.changed or item.at
        return super().item_updateddate(item)


class BotFeed(_MatchFeed):
    """The last results of a bot."""

    def get_object(self, request: HttpRequest, slug: str) -> Bot:  # noqa: ARG002 - as Django calls it
        """The bot; 404 if there is none."""
        return get_object_or_404(Bot, slug=slug)

    def title(self, source: Bot) -> str:
        """The name, with the word *results*."""
        return f"{source.name}, results"

    def link(self, source: Bot) -> str:
        """The address of the bot's page."""
        return reverse("bot", args=[source.slug])

    def subtitle(self, source: Bot) -> str:
        """The author's description."""
        return source.description

    def items(self, source: Bot) -> Sequence[ListedMatch]:
        """The bot's last finished matches."""
        return _list_finished(queries.matches_of(source, NOBODY))


def _list_finished(matches: QuerySet[Match]) -> list[ListedMatch]:
    finished = matches.filter(group_is_over("deal_group"), state=Match.State.FINISHED)
    return queries.list_matches(finished.order_by("-pk")[:MAX_ITEMS])


class SiteFeed(_Atom):
    """The tournaments opened last, each with its winner or latest event."""

    title = "Cardroom, tournaments"
    subtitle = "The latest tournaments of card-playing programs, with their winners."

    def link(self) -> str:
        """The address of the list of tournaments."""
        return reverse("tournaments")

    def items(self) -> Sequence[ListedTournament]:
        """The tournaments opened last."""
        return list_tournaments(list(public_tournaments().order_by("-opened", "-pk")[:MAX_ITEMS]))

    def item_title(self, item: ListedTournament) -> str:
        """The tournament's name with its winner, or with its latest event."""
        tournament = item.tournament
        if (
            tournament.state == Tournament.State.FINISHED
            and len(item.first) == 1
            and not item.others
        ):
            return f"{tournament.name}: {item.first[0].title} wins"
        return f"{tournament.name}: {item.moment}"

    def item_description(self, item: ListedTournament) -> str:
        """The format."""
        return f"{format_words(item.tournament.format)}."

    def item_link(self, item: ListedTournament) -> str:
        """The address of the tournament's page."""
        return reverse("tournament", args=[item.tournament.slug])

    def item_guid(self, item: ListedTournament) -> str:
        """An id that changes with each event, so that feed readers show the item as new."""
        return f"{self.item_link(item)}#{item.moment}"

    def item_updateddate(self, item: ListedTournament) -> datetime | None:
        """The time of the last event."""
        return item.when
