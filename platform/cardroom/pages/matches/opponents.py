"""The opponents at a table that continues a match: house bots, and the match's own bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F
from django.http import HttpRequest

from bots.models import Bot
from cardroom.pages.common.replay_source import ReplaySource
from cardroom_base.core.names import HOUSE, display_name, slug_of
from cardroom_tables import strength
from cardroom_tables.actions.seats import covers_format
from engine.english import seat_name
from tournaments.models import Rating

RATINGS: Final = (500, 2200)
"""The lowest and highest rating in pictures of levels."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices in the form *Play from here*."""

    replay: ReplaySource
    moves: int
    """The number of moves in the record."""
    after: int
    """The preselected move, until the replay shows another one."""
    seats: list[tuple[int, str]]
    """Each seat's number and name."""
    house: list[tuple[str, str]]
    """`house:NAME` and a display name; the game's own bot first, then the strongest."""
    match: list[str]
    """Bots of the match that play with people, by name."""

    @property
    def other(self) -> str:
        """The address of the page *Other moves*."""
        return self.replay.position(self.after)


def choices_of(replay: ReplaySource, moves: int, after: int | None) -> Choices:
    """The choices for a finished match or table with `moves` moves."""
    fmt = replay.format
    house = dict.fromkeys(
        [strength.game_bot(fmt), strength.hint_bot(fmt), *strength.bots_of_format(fmt)]
    )
    return Choices(
        replay,
        moves,
        after or 0,
        [
            (n, f"{seat_name(fmt.seats, n)}, {display_name(name)}")
            for n, name in enumerate(replay.names)
        ],
        [(bot_name, display_name(bot_name)) for bot_name in house],
        sorted(name for name in bots_for_people(replay) if not name.startswith(HOUSE)),
    )


def ratings_of(slugs: Sequence[str]) -> dict[str, dict[str, tuple[int, int]]]:
    """By slug and form of game: the fitted rating of a bot's active version, and half of its 95 %
    interval. Unrated bots are missing."""
    rows = Rating.objects.filter(
        kind=Rating.Kind.ALL,
        pool__contains="/",
        fitted__isnull=False,
        version__bot__slug__in=slugs,
        version=F("version__bot__active_version"),
    ).values_list("version__bot__slug", "pool", "fitted", "low", "high")
    ratings: dict[str, dict[str, tuple[int, int]]] = {}
    for slug, pool, value, low, high in rows:
        if value is not None and low is not None and high is not None:
            ratings.setdefault(slug, {})[pool] = (round(value), round((high - low) / 2))
    return ratings


def first_content(choice: dict[str, Any], request: HttpRequest) -> dict[str, Any]:
    """The first content of the page *Play*: the requested game, and its levels, drawn as in
    play/levels.js."""
    name = request.POST.get("format") or request.GET.get("format") or request.GET.get("game", "")
    games = choice["games"]
    game = next((item for item in games if item["name"] == name.split("/")[0]), games[0])
    path = name.partition("?")[0]
    formats = game["formats"]
    form = next((item for item in formats if item["text"] == path), formats[0])
    coach = game["coach"]
    levels = []
    for level in game["levels"]:
        rated = choice["ratings"].get(slug_of(level["bot"]), {}).get(form["text"])
        tip = coach["words"] if level["number"] == coach["tip"] else ""
        chosen = level["number"] == coach["level"]
        height = height_of(rated[0]) if rated else 0
        levels.append(
            level
            | {"rated": rated, "tip": tip, "chosen": chosen, "height": height, "y": 100 - height}
        )
    rated = any(level["rated"] for level in levels)
    return {"game": game, "format": form, "levels": levels, "rated": rated}


def height_of(rating: int) -> int:
    """The height of a rating in the picture, from 0 to 100."""
    low, high = RATINGS
    return max(4, min(96, round(100 * (rating - low) / (high - low))))


def bots_for_people(replay: ReplaySource) -> dict[str, str]:
    """Bots of a match that may sit at people's tables, with their slugs. As at every table, their
    active version plays."""
    fmt = replay.format
    bots = {seat.version.bot_id for seat in replay.seats if seat.version}
    partners = Bot.objects.listed().filter(pk__in=bots, plays_people=True)
    return {
        bot.name: bot.slug
        for bot in partners.select_related("active_version")
        if bot.active_version is not None and covers_format(bot.active_version.formats, fmt)
    }
