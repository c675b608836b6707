"""Choose the format of a challenge or trial, and create its hidden tournament."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django.db.models import Sum

from bots.access import refuse_quarantined
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from cardroom_base.db.db_time import now
from engine import Format, all_formats
from tournaments.actions.versions import plays_format
from tournaments.course import field_rules
from tournaments.deal_groups import random_seed
from tournaments.models import Entry, Rating, Stage, Tournament


def common_formats(candidate: BotVersion, opponent: BotVersion, sides: int = 0) -> list[Format]:
    """The formats that both play; `sides`: if not 0, only formats with this many sides."""
    return [
        fmt
        for fmt in all_formats()
        if plays_format(candidate, fmt)
        and plays_format(opponent, fmt)
        and sides in {0, len(fmt.sides)}
    ]


def most_played_format(bot: Bot) -> str:
    """The format in which the bot has played most rated matches; empty if it has played none."""
    ratings = Rating.objects.filter(version__bot=bot, kind=Rating.Kind.ALL, pool__contains="/")
    sums = ratings.order_by().values("pool").annotate(played=Sum("matches"))
    return sums.order_by("-played", "pool").values_list("pool", flat=True).first() or ""


def chosen_format(candidate: BotVersion, opponent: BotVersion, text: str, sides: int = 0) -> Format:
    """The requested format. Without `text`: the candidate's usual one if both play it, else the
    first that both play."""
    names = f"{candidate} and {opponent}"
    if not text:
        formats = common_formats(candidate, opponent, sides)
        if not formats:
            limit = " for two sides" if sides else ""
            raise ActionError(f"{names} have no format{limit} in common.", "conflict")
        preferred = most_played_format(candidate.bot)
        return next((fmt for fmt in formats if str(fmt) == preferred), formats[0])
    try:
        fmt = Format.parse(field_rules.clean_field("format", text))
    except FieldError as error:
        raise ActionError(str(error), field="format") from error
    if sides not in {0, len(fmt.sides)}:
        raise ActionError(
            f"A challenge is played by two sides; {fmt} has {len(fmt.sides)}.",
            "conflict",
            "format",
        )
    if not (plays_format(candidate, fmt) and plays_format(opponent, fmt)):
        raise ActionError(f"{names} do not both play {fmt}.", "conflict", "format")
    return fmt


def refuse_unready(*versions: BotVersion) -> None:
    """ActionError unless all of them can play."""
    refuse_quarantined(*Bot.objects.filter(pk__in=[version.bot_id for version in versions]))
    for version in versions:
        if version.status != BotVersion.Status.READY:
            raise ActionError(
                f"Version {version.number} of {version.bot.name} is "
                f"{version.get_status_display()}; only a version that is ready can play.",
                "conflict",
            )


def create_hidden_tournament(
    kind: str, versions: Sequence[BotVersion], fmt: Format, stage: dict[str, Any], **fields: Any
) -> Tournament:
    """Create a running, unrated tournament of these versions: candidate, opponent, others.

    `kind`: `challenge` or `trial`. `stage`, `fields`: fields of `Stage` and of `Tournament`.
    """
    candidate, opponent, *_ = versions
    same_bot = candidate.bot_id == opponent.bot_id
    tournament = Tournament.objects.create(
        slug=f"{kind}-{secrets.token_hex(8)}",
        format=str(fmt),
        rated=False,
        trial=True,
        seed=random_seed(),
        state=Tournament.State.RUNNING,
        started=now(),
        **fields,
    )
    Stage.objects.create(tournament=tournament, **stage)
    Entry.objects.bulk_create(
        Entry(
            tournament=tournament,
            bot_id=version.bot_id,
            version=version,
            name=str(version) if same_bot and version.bot_id == candidate.bot_id else "",
            number=number,
            seeding=number,
            candidate=same_bot and number == 1,  # both versions of the bot have an entry
        )
        for number, version in enumerate(versions, 1)
    )
    return tournament
