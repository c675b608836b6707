"""The data of the page *Play*: games, opponents, and a person's unfinished tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bots.models import Bot
from cardroom_base.core.names import display_name
from cardroom_tables.coaching import BEGINNER, recommendations
from cardroom_tables.guests import Person
from cardroom_tables.models import Table
from cardroom_tables.my_games import games_of, skills_of
from cardroom_tables.quotas import unfinished_tables
from cardroom_tables.reading import chip_of, format_of, names_of, seat_of
from cardroom_tables.strength import describe, other_bots, scale, wins_of_next_level
from engine import Format, registry
from engine.formats import all_formats

MAX_CANDIDATES = 8
"""Number of a person's latest tables among which the home page searches for one that waits."""
MAX_BOTS = 200
"""Maximum of listed authors' bots; the others have only their own pages."""


def game_offers(person: Person) -> list[dict[str, Any]]:
    """Every game with its formats, the levels of its scale, and the recommended level. Each format
    lists the other house bots that play it."""
    recommendation_of = recommendations(person)
    formats: dict[str, list[Format]] = {}
    for fmt in all_formats():
        formats.setdefault(fmt.game, []).append(fmt)
    return [
        {
            "name": game.name,
            "title": game.title,
            "summary": game.summary,
            "formats": [_format_offer(fmt) for fmt in formats[game.name]],
            "levels": _levels(formats[game.name][0]),
            "coach": recommendation_of.get(game.name, BEGINNER)._asdict(),
        }
        for game in registry.games()
    ]


def _format_offer(fmt: Format) -> dict[str, Any]:
    """A format with the house bots that play it, except those of the scale, which play every
    format."""
    house = [
        {"bot": bot, "name": display_name(bot), "words": describe(bot, fmt)}
        for bot in other_bots(fmt)
    ]
    return format_of(fmt) | {"seats": fmt.seats, "short": one_deal_format(fmt), "house": house}


def _levels(fmt: Format) -> list[dict[str, Any]]:
    """The scale of a game; `beaten`: of ten deal groups, those that the next level wins."""
    return [asdict(step) | {"beaten": wins_of_next_level(fmt, step.number)} for step in scale(fmt)]


def one_deal_format(fmt: Format) -> str:
    """The format with `deals=1`; empty if the game has no such option."""
    try:
        return str(Format.parse(f"{fmt}?deals=1"))
    except ValueError:
        return ""


def author_bots() -> list[dict[str, Any]]:
    """Authors' bots that play people: slug, name, owner, version, description, formats."""
    rows = (
        Bot.objects.listed()
        .filter(plays_people=True, owner__isnull=False)
        .select_related("owner", "active_version")
        .order_by("name")[:MAX_BOTS]
    )
    return [
        {
            "slug": bot.slug,
            "name": bot.name,
            "owner": bot.owner.get_username() if bot.owner else "",
            "version": bot.active_version.number,
            "words": bot.description[:80],
            "formats": bot.active_version.formats,
        }
        for bot in rows
        if bot.active_version is not None
    ]


def overview_of(person: Person) -> dict[str, Any]:
    """A person's unfinished tables, finished games, wins in a row, and skills."""
    games, streak = games_of(person)
    tables = unfinished_tables(person).prefetch_related("seats").order_by("-moved")
    return {
        "tables": [_resume_link(table, person) for table in tables],
        "games": games,
        "streak": streak,
        "skills": skills_of(person),
    }


def waiting_table(person: Person) -> dict[str, Any] | None:
    """The person's latest table that waits for them, or None."""
    if person.user is None and not person.guest:
        return None
    tables = unfinished_tables(person).filter(state=Table.State.PLAYING).prefetch_related("seats")
    rows = [_resume_link(table, person) for table in tables.order_by("-moved")[:MAX_CANDIDATES]]
    return next((row for row in rows if row["chip"]["kind"] in ("turn", "resting")), None)


def _resume_link(table: Table, person: Person) -> dict[str, Any]:
    seats = sorted(table.seats.all(), key=lambda seat: seat.index)
    fmt = Format.parse(table.format)
    names = names_of(fmt, seats)
    own = seat_of(table, seats, person)
    return {
        "key": table.key,
        "format": format_of(fmt),
        "others": [name for index, name in enumerate(names) if index != own],
        "deal": table.deals + 1,
        "moved": table.moved,
        "chip": chip_of(table, seats, own, names),
    }
