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
from tournaments.ratings.elo import margin

RATING_RANGE: Final = (500, 2200)
"""The lowest and the highest rating in the picture of the levels."""


@dataclass(frozen=True, slots=True)
class ContinuationChoices:
    """The choices of the form *Play from here*."""

    replay: ReplaySource
    moves: int
    """The number of moves in the record."""
    after: int
    """The preselected move, until the replay shows another one."""
    seats: list[tuple[int, str]]
    """The number and the name of each seat."""
    house: list[tuple[str, str]]
    """The names (`house:NAME`) and display names of house bots: the game's own bot, then the
    strongest bots."""
    match: list[str]
    """The names of the match's bots that may play with people."""

    @property
    def other(self) -> str:
        """The address of the page *Other moves*."""
        return self.replay.position(self.after)


def continuation_choices(
    replay: ReplaySource, moves: int, after: int | None
) -> ContinuationChoices:
    """The choices for a finished match or table with `moves` moves."""
    fmt = replay.format
    house = dict.fromkeys(
        [strength.game_bot(fmt), strength.hint_bot(fmt), *strength.bots_of_format(fmt)]
    )
    return ContinuationChoices(
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
    """By slug and pool: the fitted rating of a bot's active version, and its margin (`elo.margin`).
    Bots without both are missing."""
    rows = Rating.objects.filter(
        kind=Rating.Kind.ALL,
        pool__contains="/",
        fitted__isnull=False,
        version__bot__slug__in=slugs,
        version=F("version__bot__active_version"),
    ).values_list("version__bot__slug", "pool", "fitted", "low", "high")
    ratings: dict[str, dict[str, tuple[int, int]]] = {}
    for slug, pool, value, low, high in rows:
        if value is not None and (distance := margin(value, low, high)) is not None:
            ratings.setdefault(slug, {})[pool] = (round(value), round(distance))
    return ratings


def initial_choice(choice: dict[str, Any], request: HttpRequest) -> dict[str, Any]:
    """The initial content of the page *Play*: the requested game with its levels, drawn as in
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
        rating = choice["ratings"].get(slug_of(level["bot"]), {}).get(form["text"])
        tip = coach["words"] if level["number"] == coach["tip"] else ""
        chosen = level["number"] == coach["level"]
        height = rating_height(rating[0]) if rating else 0
        levels.append(
            level
            | {"rated": rating, "tip": tip, "chosen": chosen, "height": height, "y": 100 - height}
        )
    has_ratings = any(level["rated"] for level in levels)
    return {"game": game, "format": form, "levels": levels, "rated": has_ratings}


def rating_height(rating: int) -> int:
    """The height of a rating in the picture, from 0 to 100."""
    low, high = RATING_RANGE
    return max(4, min(96, round(100 * (rating - low) / (high - low))))


def bots_for_people(replay: ReplaySource) -> dict[str, str]:
    """The slugs of the bots of a match that may play with people, by name. As at every table, their
    active versions play."""
    fmt = replay.format
    bots = {seat.version.bot_id for seat in replay.seats if seat.version}
    partners = Bot.objects.listed().filter(pk__in=bots, plays_people=True)
    return {
        bot.name: bot.slug
        for bot in partners.select_related("active_version")
        if bot.active_version is not None and covers_format(bot.active_version.formats, fmt)
    }
