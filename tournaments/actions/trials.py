"""Trials: a candidate version plays against the stable one and the field until it is clear whether
it is better. Versions never change: what ends a trial only says which one is active."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Sum

from bots.access import owns
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from engine import Format, all_formats
from tournaments.actions.rounds import pair
from tournaments.actions.rules import pin
from tournaments.actions.verdicts import end
from tournaments.actions.versions import claims
from tournaments.deal_groups import drawn_seed
from tournaments.models import Entry, Rating, Stage, Tournament, Trial
from tournaments.pairing import trial as system
from tournaments.projections import pools_of
from tournaments.ratings.elo import START

if TYPE_CHECKING:
    from django.contrib.auth.models import User

FIELD = 4
"""Bots of the field: the active ones nearest in rating that play the format."""
PRIORITY = 3
"""Trials wait for tournaments, which have 5 unless somebody chose otherwise."""
GAIN = 20
"""The gain in Elo points that a trial looks for unless the author says otherwise."""
GAINS = (5, 200)
"""The least and the greatest gain that can be asked for."""


@transaction.atomic
def start_trial(
    version: BotVersion, by: User | None, *, format_text: str = "", gain: float = GAIN
) -> Trial:
    """Try a version against the active one of its bot, in a format that both play.

    `format_text` empty: the one in which the bot has played most. `gain`: a candidate this many Elo
    points better is promoted almost surely; a smaller gain takes more deal groups.
    """
    bot = Bot.objects.select_for_update().get(pk=version.bot_id)
    if not owns(bot, by):
        raise ActionError(f"{bot.name} is not yours; only its owner tries versions.", "forbidden")
    candidate = BotVersion.objects.get(pk=version.pk)
    stable = _stable(bot, candidate)
    if not GAINS[0] <= gain <= GAINS[1]:
        raise ActionError(
            f"A trial looks for a gain of {GAINS[0]} to {GAINS[1]} Elo points, not {gain:g}.",
            field="gain",
        )
    fmt = _format(bot, candidate, stable, format_text)
    tournament = _tournament(bot, candidate, stable, fmt)
    trial = Trial.objects.create(
        candidate=candidate, stable=stable, tournament=tournament, elo1=float(gain)
    )
    pair(tournament)
    pin(tournament)
    return trial


@transaction.atomic
def abandon_trial(trial: Trial, by: User | None) -> Trial:
    """End a trial undecided: the stable version stays active."""
    tournament = Tournament.objects.select_for_update().get(pk=trial.tournament_id)
    trials = Trial.objects.select_for_update(of=("self",)).select_related("candidate__bot")
    trial = trials.get(pk=trial.pk)
    bot = trial.candidate.bot
    if not owns(bot, by):
        raise ActionError(f"{bot.name} is not yours; only its owner ends trials.", "forbidden")
    if trial.state != Trial.State.RUNNING:
        raise ActionError(f"This trial is over: {trial.get_state_display()}.", "conflict")
    end(trial, tournament, Trial.State.ABANDONED)
    return trial


def formats_for(candidate: BotVersion, stable: BotVersion) -> list[Format]:
    """The formats in which the two can be tried: those that both play."""
    return [fmt for fmt in all_formats() if claims(candidate, fmt) and claims(stable, fmt)]


def usual_format(bot: Bot) -> str:
    """The format in which the bot has played most rated matches; empty if in none."""
    rated = Rating.objects.filter(version__bot=bot, kind=Rating.Kind.ALL, pool__contains="/")
    sums = rated.order_by().values("pool").annotate(played=Sum("matches"))
    return sums.order_by("-played", "pool").values_list("pool", flat=True).first() or ""


def _stable(bot: Bot, candidate: BotVersion) -> BotVersion:
    """The version to beat; ActionError where there can be no trial."""
    if candidate.status != BotVersion.Status.READY:
        raise ActionError(
            f"Version {candidate.number} of {bot.name} is {candidate.get_status_display()}; "
            "only a version that is ready can be tried.",
            "conflict",
        )
    stable = bot.active_version
    if stable is None or stable.pk == candidate.pk:
        raise ActionError(
            f"Version {candidate.number} of {bot.name} is active already: a trial compares another "
            "version with it.",
            "conflict",
        )
    running = Trial.objects.filter(candidate__bot=bot, state=Trial.State.RUNNING)
    if other := running.select_related("candidate").first():
        raise ActionError(
            f"Version {other.candidate.number} of {bot.name} is being tried now; let that trial "
            "end, or end it, before you start another.",
            "conflict",
        )
    return stable


def _format(bot: Bot, candidate: BotVersion, stable: BotVersion, text: str) -> Format:
    """The format of a trial: the one asked for, else the bot's usual one, else the first."""
    try:
        asked = Format.parse(text) if text else None
    except ValueError as error:
        raise ActionError(str(error), field="format") from error
    if asked is not None:
        if not (claims(candidate, asked) and claims(stable, asked)):
            raise ActionError(
                f"Versions {stable.number} and {candidate.number} of {bot.name} do not both play "
                f"{asked}.",
                "conflict",
                "format",
            )
        return asked
    usual = usual_format(bot)
    common = formats_for(candidate, stable)
    if not common:
        raise ActionError(
            f"Versions {stable.number} and {candidate.number} of {bot.name} have no format in "
            "common to be tried in.",
            "conflict",
        )
    return next((fmt for fmt in common if str(fmt) == usual), common[0])


def _tournament(bot: Bot, candidate: BotVersion, stable: BotVersion, fmt: Format) -> Tournament:
    """The hidden, unrated tournament of a trial, running, with its entries."""
    others = len(fmt.sides) - 2
    field = _field(bot, stable, fmt, max(FIELD, others))
    if len(field) < others:
        raise ActionError(
            f"A trial in {fmt} needs {others} other bots that play it; there are {len(field)}. "
            "Choose a format for fewer sides.",
            "conflict",
            "format",
        )
    tournament = Tournament.objects.create(
        slug=f"trial-{secrets.token_hex(8)}",
        name=f"{bot.name}: v{candidate.number} against v{stable.number}",
        format=str(fmt),
        rated=False,
        trial=True,
        priority=PRIORITY,
        seed=drawn_seed(),
        state=Tournament.State.RUNNING,
        started=now(),
    )
    Stage.objects.create(tournament=tournament, system=system.SYSTEM.name, groups=1)
    versions = [candidate, stable, *field]
    Entry.objects.bulk_create(
        Entry(
            tournament=tournament,
            bot_id=version.bot_id,
            version=version,
            name=f"{bot.name} v{version.number}" if version.bot_id == bot.pk else "",
            number=number,
            seeding=number,
            candidate=version.pk == candidate.pk,
        )
        for number, version in enumerate(versions, 1)
    )
    return tournament


def _field(bot: Bot, stable: BotVersion, fmt: Format, most: int) -> list[BotVersion]:
    """Active versions of other bots that play the format, the nearest in rating first."""
    pool, _, _ = pools_of(str(fmt))
    rated = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL)
    known = {r.version_id: r.live if r.fitted is None else r.fitted for r in rated}
    level = known.get(stable.pk, START)
    bots = Bot.objects.listed().exclude(pk=bot.pk).select_related("active_version").order_by("pk")
    active = [b.active_version for b in bots if b.active_version and claims(b.active_version, fmt)]
    active.sort(key=lambda version: abs(known.get(version.pk, START) - level))
    return active[:most]
