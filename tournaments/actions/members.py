"""Who takes part: the bots of entries and their owners, as starts and checks ask for them."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from bots.models import Bot
from tournaments.actions.decision_log import log_decision
from tournaments.models import Decision, Entry, Tournament


def waiting(entry: Entry) -> list[Bot]:
    """The bots of a team whose owners have not agreed yet."""
    return [mate.bot for mate in entry.mates.all() if not mate.agreed]


def leave_out_waiting(tournament: Tournament) -> None:
    """At the start: teams that are not fully agreed on do not take part; the log says so."""
    for entry in tournament.entries.filter(mates__agreed=False).distinct():
        names = ", ".join(bot.name for bot in waiting(entry))
        reason = f"Nobody agreed for {names} before the start."
        log_decision(tournament, Decision.Kind.WITHDRAWN, f"the team {entry.title}"[:200], reason)
        entry.delete()


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
