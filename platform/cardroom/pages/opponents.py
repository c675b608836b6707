"""Who may sit where at a table that goes on from a match: the house, and the match's own bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bots.models import Bot
from bots.names import HOUSE, friendly
from cardroom.play import strength
from cardroom.play.actions.seats import plays
from engine import Format
from engine.english import place
from tournaments.models import Match


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form *Sit down here* offers."""

    seats: list[tuple[int, str]]
    """Number and words."""
    house: list[tuple[str, str]]
    """`house:NAME` and what people call it; the game's own first, then the strongest."""
    match: list[str]
    """The bots of the match that play with people, by name."""


def choices_of(found: Match, names: Sequence[str]) -> Choices:
    """What may be chosen at a finished match. `names`: of its bots, by seat."""
    fmt = Format.parse(found.format)
    house = dict.fromkeys([strength.own(fmt), strength.expert(fmt), *strength.for_format(fmt)])
    return Choices(
        [(n, f"{place(fmt.seats, n)}, {friendly(name)}") for n, name in enumerate(names)],
        [(each, friendly(each)) for each in house],
        sorted(name for name in agreeing(found) if not name.startswith(HOUSE)),
    )


def agreeing(found: Match) -> dict[str, str]:
    """The bots of a match that may sit at tables of people, with their address names. It is their
    active version that sits down, as at every table."""
    fmt = Format.parse(found.format)
    bots = {seat.version.bot_id for seat in found.seats.all()}
    known = Bot.objects.filter(pk__in=bots, plays_people=True, active_version__isnull=False)
    return {
        bot.name: bot.slug
        for bot in known.select_related("active_version")
        if bot.active_version is not None and plays(bot.active_version.formats, fmt)
    }
