"""What becomes of tournaments when an author goes for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from bots.actions import retire
from bots.models import Bot
from cardroom_base.core.errors import ActionError
from tournaments.actions.challenges import cancel_challenge
from tournaments.actions.entries import withdraw
from tournaments.actions.teams import withdraw_team
from tournaments.actions.tournaments import cancel
from tournaments.actions.trials import abandon_trial
from tournaments.models import Challenge, Entry, Tournament, Trial

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def retire_author(author: User) -> None:
    """Retire the author's bots: they leave open tournaments and ladders, and their trials and
    challenges end. In other running tournaments they play on, because the others need the results.

    Drafts are cancelled. Open and running tournaments of the author continue; staff run them.
    """
    mine = Q(bot__owner=author) | Q(mates__bot__owner=author)
    state = Tournament.State
    may_leave = Q(tournament__state=state.OPEN) | Q(
        tournament__state=state.RUNNING, withdrawn__isnull=True
    )
    hidden = Q(tournament__trial=True) | Q(tournament__challenge_of__isnull=False)
    entries = Entry.objects.filter(mine, may_leave).exclude(hidden).distinct()
    for entry in entries.select_related("tournament", "bot").order_by("tournament", "pk"):
        if entry.tournament.state == state.OPEN or entry.tournament.by_rating:
            _leave(entry, author)
    trials = Trial.objects.filter(candidate__bot__owner=author, state=Trial.State.RUNNING)
    for trial in trials.order_by("pk"):
        abandon_trial(trial, author)
    challenges = Challenge.objects.filter(
        Q(by=author) | Q(candidate__bot__owner=author) | Q(opponent__bot__owner=author),
        tournament__state=state.RUNNING,
    )
    for challenge in challenges.order_by("pk"):
        cancel_challenge(challenge, None)
    for draft in Tournament.objects.filter(organizer=author, state=state.DRAFT).order_by("pk"):
        cancel(draft, author)
    for bot in Bot.objects.filter(owner=author).order_by("pk"):
        retire(bot, author)


def _leave(entry: Entry, author: User) -> None:
    if entry.tournament.takes_teams:
        withdraw_team(entry, author)
        return
    try:
        withdraw(entry.tournament, entry.bot, author)
    except ActionError as error:  # a system that needs all entries until the end
        if error.code != "conflict":
            raise
