"""Start and end challenges: a few unrated deal groups between two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.db import transaction

from bots.access import owns
from bots.models import BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.quotas import DAY, lock_account_quotas, lock_quotas
from tournaments.actions.matchups import chosen_format, create_hidden_tournament, refuse_unready
from tournaments.actions.rounds import pair
from tournaments.actions.rules import pin_rules
from tournaments.actions.tournaments import cancel
from tournaments.models import Challenge, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SYSTEM: Final = "round-robin"
SIDES: Final = 2
"""Sides of a challenge's format; copies of a bot fill each side."""
GROUPS: Final = 10
"""Default number of deal groups."""
MAX_GROUPS: Final = 50
"""Maximum number of deal groups."""
PRIORITY: Final = 6
"""Above the priorities of organizers: a person waits, and quotas limit the matches."""
MAX_RUNNING: Final = 5
"""Challenges by others that a bot plays at a time, because the matches count toward its author's
limit."""


@transaction.atomic
def start_challenge(
    challenger: BotVersion,
    challenged: BotVersion,
    by: User | None,
    *,
    format_text: str = "",
    groups: int = GROUPS,
) -> Challenge:
    """Start unrated deal groups between two versions.

    `format_text` empty: the challenger's most played format if both play it, else the first that
    both play.
    """
    _refuse_foreign(challenger, challenged, by)
    _refuse_unready(challenger, challenged)
    if not 1 <= groups <= MAX_GROUPS:
        raise ActionError(
            f"A challenge has 1 to {MAX_GROUPS} deal groups, not {groups}.", field="groups"
        )
    fmt = chosen_format(challenger, challenged, format_text, SIDES)
    _refuse_too_many(challenged, by)
    tournament = create_hidden_tournament(
        "challenge",
        (challenger, challenged),
        fmt,
        {"system": SYSTEM, "groups": groups},
        name=_title(challenger, challenged),
        priority=PRIORITY,
        opened=None if challenger.bot_id == challenged.bot_id else now(),
    )
    challenge = Challenge.objects.create(
        tournament=tournament, by=by, candidate=challenger, opponent=challenged, groups=groups
    )
    pair(tournament)
    pin_rules(tournament)
    return challenge


@transaction.atomic
def cancel_challenge(challenge: Challenge, by: User | None) -> Challenge:
    """End a challenge early; its results stay."""
    if by is not None and not by.is_staff and challenge.by_id != by.pk:
        raise ActionError("Only the person who made this challenge can end it.", "forbidden")
    cancel(challenge.tournament, None)
    challenge.tournament.refresh_from_db()
    return challenge


def _refuse_foreign(challenger: BotVersion, challenged: BotVersion, by: User | None) -> None:
    if not owns(challenger.bot, by):
        raise ActionError(
            f"{challenger.bot.name} is not yours; only its owner can challenge with it.",
            "forbidden",
            "bot",
        )
    other = challenged.bot
    if other.is_house or owns(other, by):
        return
    if not other.takes_challenges:
        raise ActionError(f"{other.name} accepts no challenges.", "forbidden", "against")
    if challenged.pk != other.active_version_id:
        raise ActionError(
            f"Only the active version of {other.name} can be challenged.", "forbidden", "against"
        )


def _refuse_unready(challenger: BotVersion, challenged: BotVersion) -> None:
    if challenger.pk == challenged.pk:
        raise ActionError(
            f"{challenger} cannot challenge itself; choose another version of it, or another bot.",
            field="against",
        )
    refuse_unready(challenger, challenged)


def _refuse_too_many(challenged: BotVersion, by: User | None) -> None:
    """ActionError if a quota is exceeded; the site itself and staff have none."""
    if by is None or by.is_staff:
        return
    lock_account_quotas(by.pk)
    own_challenges = Challenge.objects.filter(by=by)
    limit = settings.MAX_CHALLENGES
    if own_challenges.filter(tournament__state=Tournament.State.RUNNING).count() >= limit:
        raise ActionError(
            f"You have reached the limit of simultaneous challenges ({limit}); "
            "wait until one is over, or end one.",
            "conflict",
        )
    limit = settings.MAX_CHALLENGES_PER_DAY
    if own_challenges.filter(started__gt=Now() - DAY).count() >= limit:
        raise ActionError(
            f"You have reached the limit of challenges within 24 hours ({limit}); "
            "at home `cardroom play` has no limit.",
            "conflict",
        )
    if owns(challenged.bot, by) or challenged.bot.is_house:
        return
    lock_quotas(f"challenges of bot {challenged.bot_id}")
    running = Challenge.objects.filter(
        opponent__bot=challenged.bot, tournament__state=Tournament.State.RUNNING
    )
    if running.exclude(by=challenged.bot.owner_id).count() >= MAX_RUNNING:
        raise ActionError(
            f"{challenged.bot.name} is already playing {MAX_RUNNING} challenges; try again later.",
            "conflict",
            "against",
        )


def _title(challenger: BotVersion, challenged: BotVersion) -> str:
    """A title of at most 80 characters, as tournaments' names allow; bots' names have up to 48."""
    first, second = str(challenger), str(challenged)
    if challenger.bot_id == challenged.bot_id:
        second = f"v{challenged.number}"
    return f"{_shortened(first, 70 - min(len(second), 33))} against {_shortened(second, 33)}"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
