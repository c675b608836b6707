"""Who may sit where at a table that goes on from a match: the house, and the match's own bots."""

from __future__ import annotations

from dataclasses import dataclass

from bots.models import Bot
from bots.names import HOUSE, friendly
from cardroom.pages.played import Played
from cardroom.play import strength
from cardroom.play.actions.seats import plays
from engine.english import place


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form *Sit down here* offers."""

    played: Played
    moves: int
    """How many the record has."""
    after: int
    """The move after which it says that one sits down, until a replay shows another."""
    seats: list[tuple[int, str]]
    """Number and words."""
    house: list[tuple[str, str]]
    """`house:NAME` and what people call it; the game's own first, then the strongest."""
    match: list[str]
    """The bots of the match that play with people, by name."""

    @property
    def other(self) -> str:
        """The page of other moves there."""
        return self.played.position(self.after)


def choices_of(played: Played, moves: int, after: int | None) -> Choices:
    """What may be chosen at a finished match, or table, with so many moves."""
    fmt = played.format
    house = dict.fromkeys([strength.own(fmt), strength.expert(fmt), *strength.for_format(fmt)])
    return Choices(
        played,
        moves,
        after or 0,
        [(n, f"{place(fmt.seats, n)}, {friendly(name)}") for n, name in enumerate(played.names)],
        [(each, friendly(each)) for each in house],
        sorted(name for name in agreeing(played) if not name.startswith(HOUSE)),
    )


def agreeing(played: Played) -> dict[str, str]:
    """The bots of a match that may sit at tables of people, with their address names. It is their
    active version that sits down, as at every table."""
    fmt = played.format
    bots = {seat.version.bot_id for seat in played.seats if seat.version}
    known = Bot.objects.filter(pk__in=bots, plays_people=True, active_version__isnull=False)
    return {
        bot.name: bot.slug
        for bot in known.select_related("active_version")
        if bot.active_version is not None and plays(bot.active_version.formats, fmt)
    }
