"""Start and abandon trials of candidate versions against the stable one and the field.

Versions never change; a trial only decides which one is active."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from bots.access import owns
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from engine import Format
from tournaments.actions.matchups import chosen_format, create_hidden_tournament, refuse_unready
from tournaments.actions.rounds import pair
from tournaments.actions.rules import pin_rules
from tournaments.actions.verdicts import end_trial
from tournaments.actions.versions import plays_format
from tournaments.models import Rating, Tournament, Trial
from tournaments.pairing import trial as system
from tournaments.projections import pools_of
from tournaments.ratings.elo import START

if TYPE_CHECKING:
    from django.contrib.auth.models import User

FIELD = 4
"""Bots of the field: active versions with the nearest ratings that play the format."""
PRIORITY = 3
"""Below the default priority of tournaments, 5."""
GAIN = 20
"""The default gain in Elo points that a trial tests for."""
GAINS = (5, 200)
"""The least and the greatest gain of a trial."""


@transaction.atomic
def start_trial(
    version: BotVersion, by: User | None, *, format_text: str = "", gain: float = GAIN
) -> Trial:
    """Start a trial of a version against its bot's active version, in a format that both play.

    `format_text` empty: the bot's most played format. `gain`: a candidate this many Elo points
    better is promoted almost surely; a smaller gain takes more deal groups.
    """
    bot = Bot.objects.select_for_update().get(pk=version.bot_id)
    if not owns(bot, by):
        raise ActionError(f"{bot.name} is not yours; only its owner can start trials.", "forbidden")
    candidate = BotVersion.objects.get(pk=version.pk)
    stable = _stable_version(bot, candidate)
    if not GAINS[0] <= gain <= GAINS[1]:
        raise ActionError(
            f"A trial looks for a gain of {GAINS[0]} to {GAINS[1]} Elo points, not {gain:g}.",
            field="gain",
        )
    fmt = chosen_format(candidate, stable, format_text)
    tournament = _create_tournament(bot, candidate, stable, fmt)
    trial = Trial.objects.create(
        candidate=candidate, opponent=stable, tournament=tournament, elo1=float(gain)
    )
    pair(tournament)
    pin_rules(tournament)
    return trial


@transaction.atomic
def abandon_trial(trial: Trial, by: User | None) -> Trial:
    """End a trial without a decision: the stable version stays active."""
    tournament = Tournament.objects.select_for_update().get(pk=trial.tournament_id)
    trials = Trial.objects.select_for_update(of=("self",)).select_related("candidate__bot")
    trial = trials.get(pk=trial.pk)
    bot = trial.candidate.bot
    if not owns(bot, by):
        raise ActionError(f"{bot.name} is not yours; only its owner can end trials.", "forbidden")
    if trial.state != Trial.State.RUNNING:
        raise ActionError(f"This trial is over: {trial.get_state_display()}.", "conflict")
    end_trial(trial, tournament, Trial.State.ABANDONED)
    return trial


def _stable_version(bot: Bot, candidate: BotVersion) -> BotVersion:
    """The version to beat; ActionError if no trial is possible."""
    refuse_unready(candidate)
    stable = bot.active_version
    if stable is None or stable.pk == candidate.pk:
        raise ActionError(
            f"Version {candidate.number} of {bot.name} is already active: a trial compares another "
            "version with it.",
            "conflict",
        )
    running = Trial.objects.filter(candidate__bot=bot, state=Trial.State.RUNNING)
    if running_trial := running.select_related("candidate").first():
        raise ActionError(
            f"Version {running_trial.candidate.number} of {bot.name} is being tried now; let that "
            "trial end, or end it, before you start another.",
            "conflict",
        )
    return stable


def _create_tournament(
    bot: Bot, candidate: BotVersion, stable: BotVersion, fmt: Format
) -> Tournament:
    """Create the hidden, running tournament of a trial, with its entries."""
    field_size = len(fmt.sides) - 2
    field = _nearest_versions(bot, stable, fmt, max(FIELD, field_size))
    if len(field) < field_size:
        raise ActionError(
            f"A trial in {fmt} needs {field_size} other bots that play it; there are {len(field)}. "
            "Choose a format for fewer sides.",
            "conflict",
            "format",
        )
    return create_hidden_tournament(
        "trial",
        (candidate, stable, *field),
        fmt,
        {"system": system.SYSTEM.name, "groups": 1},
        name=f"{bot.name}: v{candidate.number} against v{stable.number}",
        priority=PRIORITY,
    )


def _nearest_versions(bot: Bot, stable: BotVersion, fmt: Format, count: int) -> list[BotVersion]:
    """Active versions of other bots that play the format, the nearest in rating first."""
    pool, _, _ = pools_of(str(fmt))
    rows = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL)
    ratings = {row.version_id: row.live if row.fitted is None else row.fitted for row in rows}
    stable_rating = ratings.get(stable.pk, START)
    bots = Bot.objects.listed().exclude(pk=bot.pk).select_related("active_version").order_by("pk")
    candidates = [row.active_version for row in bots if row.active_version]
    versions = [version for version in candidates if plays_format(version, fmt)]
    versions.sort(key=lambda version: abs(ratings.get(version.pk, START) - stable_rating))
    return versions[:count]
