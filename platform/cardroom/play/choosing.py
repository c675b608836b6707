"""What the page *Play* offers: games, opponents, and the tables that somebody comes back to."""

from __future__ import annotations

from typing import Any

from bots.models import Bot
from bots.names import friendly
from cardroom.play.courses import parsed
from cardroom.play.limits import unfinished
from cardroom.play.models import Table
from cardroom.play.own import games_of, skills_of
from cardroom.play.people import Person
from cardroom.play.reading import chip_of, format_of, names_of, seat_of
from cardroom.play.strength import for_format, in_words
from engine import Format, registry
from engine.formats import all_formats

BOTS = 200
"""Bots of authors that are offered; the others by their own pages."""


def offered() -> list[dict[str, Any]]:
    """Every game with its formats and the house bots that play them, weakest first."""
    opponents: dict[str, list[dict[str, str]]] = {}
    formats: dict[str, list[dict[str, Any]]] = {}
    for fmt in all_formats():
        formats.setdefault(fmt.game, []).append(
            format_of(fmt) | {"seats": fmt.seats, "short": short(fmt)}
        )
        if fmt.game not in opponents:
            opponents[fmt.game] = [
                {"bot": bot, "name": friendly(bot), "words": in_words(bot, fmt)}
                for bot in for_format(fmt)
            ]
    return [
        {
            "name": game.name,
            "title": game.title,
            "summary": game.summary,
            "formats": formats[game.name],
            "house": opponents[game.name],
        }
        for game in registry.games()
    ]


def short(fmt: Format) -> str:
    """The format with one deal only; empty where the game has no such option."""
    try:
        return str(Format.parse(f"{fmt}?deals=1"))
    except ValueError:
        return ""


def bots() -> list[dict[str, Any]]:
    """Bots of authors who agree: address name, name, owner, version, and the patterns they play."""
    found = (
        Bot.objects.listed()
        .filter(plays_people=True, owner__isnull=False)
        .select_related("owner", "active_version")
        .order_by("name")[:BOTS]
    )
    return [
        {
            "slug": bot.slug,
            "name": bot.name,
            "owner": bot.owner.get_username() if bot.owner else "",
            "version": bot.active_version.number,
            "formats": bot.active_version.formats,
        }
        for bot in found
        if bot.active_version is not None
    ]


def own(person: Person) -> dict[str, Any]:
    """What is somebody's own: tables that are not over, games that are, wins in a row, how well
    one plays."""
    games, streak = games_of(person)
    tables = unfinished(person).prefetch_related("seats").order_by("-moved")
    return {
        "tables": [_back(t, person) for t in tables],
        "games": games,
        "streak": streak,
        "skills": skills_of(person),
    }


def _back(table: Table, person: Person) -> dict[str, Any]:
    seats = sorted(table.seats.all(), key=lambda seat: seat.index)
    fmt = parsed(table.format)
    names = names_of(fmt, seats)
    own = seat_of(seats, person)
    return {
        "key": table.key,
        "format": format_of(fmt),
        "others": [name for index, name in enumerate(names) if index != own],
        "deal": table.deals + 1,
        "moved": table.moved,
        "chip": chip_of(table, seats, own, names),
    }
