"""Which bots take part: those of the organizer, and the entry of a bot."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from bots.models import Bot
from tournaments.actions.decision_log import log_decision
from tournaments.models import Decision, Entry, Tournament


def tell_own(tournament: Tournament, entries: QuerySet[Entry]) -> None:
    """Write into the log which of these entries have bots of the person who runs the tournament."""
    theirs = Q(entries__in=entries) | Q(mates__entry__in=entries)
    own = Bot.objects.filter(theirs, owner__isnull=False, owner=tournament.organizer_id)
    names = list(own.distinct().order_by("name").values_list("name", flat=True))
    if names:
        reason = "Whoever runs the tournament plays in it."
        log_decision(tournament, Decision.Kind.INTEREST, ", ".join(names)[:200], reason)


def with_bot(tournament: Tournament, bot: Bot) -> Entry | None:
    """The entry in which a bot takes part. A team that only asked for it, or has left, does not
    count."""
    own = Q(bot=bot) | Q(mates__bot=bot, mates__agreed=True)
    return tournament.entries.filter(own, withdrawn__isnull=True).distinct().first()
