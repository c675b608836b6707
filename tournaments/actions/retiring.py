"""Remove retired bots and authors from tournaments, and hold back quarantined bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from bots.access import owns
from bots.actions import describe, retire
from bots.models import Bot
from cardroom_base.core.errors import ActionError
from tournaments.access import lock_tournament
from tournaments.actions.attempts import release_quarantined
from tournaments.actions.challenges import cancel_challenge
from tournaments.actions.entries import withdraw
from tournaments.actions.participation import retire_waiting
from tournaments.actions.rounds import advance_soon
from tournaments.actions.teams import withdraw_team
from tournaments.actions.tournaments import cancel
from tournaments.actions.trials import abandon_trial
from tournaments.models import Challenge, Entry, Tournament, Trial

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def retire_bot(bot: Bot, by: User | None) -> Bot:
    """Retire a bot: it leaves open tournaments and ladders, and its trials and challenges end. It
    continues in other running tournaments, because the others need the results.

    To bring it back, its owner makes a version active.
    """
    if not owns(bot, by):
        raise ActionError(f"{bot.name} is not yours; only its owner can retire it.", "forbidden")
    if bot.is_house:
        raise ActionError(f"{bot.name} comes with the site; it cannot be retired.", "conflict")
    state = Tournament.State
    may_leave = Q(tournament__state=state.OPEN) | Q(
        tournament__state=state.RUNNING, withdrawn__isnull=True
    )
    of_trial_or_challenge = Q(tournament__trial=True) | Q(tournament__challenge_of__isnull=False)
    entries = Entry.objects.filter(Q(bot=bot) | Q(mates__bot=bot), may_leave).exclude(
        of_trial_or_challenge
    )
    entries = entries.distinct().select_related("tournament", "bot")
    for entry in entries.order_by("tournament", "pk"):
        if entry.tournament.state == state.OPEN or entry.tournament.is_ladder:
            _withdraw(entry, by)
    trials = Trial.objects.filter(candidate__bot=bot, state=Trial.State.RUNNING)
    for trial in trials.order_by("pk"):
        abandon_trial(trial, by)
    _end_challenges(Q(candidate__bot=bot) | Q(opponent__bot=bot))
    return retire(bot, by)


@transaction.atomic
def retire_author(author: User) -> None:
    """Retire the author's bots and delete their descriptions; end the author's challenges.

    Drafts are cancelled. Open and running tournaments of the author continue; others run them.
    """
    for bot in Bot.objects.filter(owner=author).order_by("pk"):
        retire_bot(bot, author)
        describe(bot, "", None)  # although moderators may have locked it
    _end_challenges(Q(by=author))
    drafts = Tournament.objects.filter(organizer=author, state=Tournament.State.DRAFT)
    for draft in drafts.order_by("pk"):
        cancel(draft, author)


def apply_quarantine(bot: Bot) -> None:
    """Give back the running matches of a bot that has just been quarantined.

    On ladders, retire its pairings that have not begun, because they would take the places of other
    pairings; elsewhere its matches wait.
    """
    release_quarantined()
    for entry in _ladder_entries(bot):
        with transaction.atomic():
            tournament = lock_tournament(entry.tournament)
            retire_waiting(tournament, entry, f"{entry.title} is quarantined.")
            advance_soon(tournament.pk)


def advance_ladders(bot: Bot) -> None:
    """Advance the ladders of a bot whose quarantine has ended."""
    for entry in _ladder_entries(bot):
        advance_soon(entry.tournament_id)


def _ladder_entries(bot: Bot) -> list[Entry]:
    entries = Entry.objects.filter(
        Q(bot=bot) | Q(mates__bot=bot),
        withdrawn__isnull=True,
        tournament__state=Tournament.State.RUNNING,
        tournament__stages__system="ladder",
    )
    return list(entries.select_related("tournament", "bot").distinct().order_by("tournament", "pk"))


def _end_challenges(condition: Q) -> None:
    running = Challenge.objects.filter(condition, tournament__state=Tournament.State.RUNNING)
    for challenge in running.order_by("pk"):
        cancel_challenge(challenge, None)


def _withdraw(entry: Entry, by: User | None) -> None:
    if entry.tournament.takes_teams:
        withdraw_team(entry, by)
        return
    try:
        withdraw(entry.tournament, entry.bot, by)
    except ActionError as error:  # a system that needs all entries until the end
        if error.code != "conflict":
            raise
