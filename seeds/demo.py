"""What a fresh site is filled with: the house bots, and a tournament between them.

Everything here can be run again: what is there already stays as it is.
"""

from __future__ import annotations

import ast
from typing import Any

from bots import house
from bots.actions import install_house_bot
from bots.models import Bot, BotVersion
from tournaments import actions
from tournaments.models import Tournament

DEMO_SLUG = "house-match"
DEMO: dict[str, Any] = {
    "name": "House match",
    "description": "The bots that come with the site meet at Cassino, ten deal groups each pair.",
    "format": "cassino/standard/1v1",
    "groups": 10,
    "seed": "house-match-1",
}
"""Ten deal groups for each pair: enough to tell three bots apart, over in seconds."""
DEMO_BOTS = ("random", "greedy", "cassino")


def seed_house_bots() -> list[BotVersion]:
    """Install every house bot as a version that is ready; new packages become new versions."""
    return [
        install_house_bot(package, house.PREFIX + name, _about(package.files["bot.py"]))
        for name in house.names()
        for package in [house.load(name)]
    ]


def demo_tournament(groups: int | None = None) -> Tournament:
    """The demo tournament, created (with so many deal groups), entered and started if need be."""
    tournament = Tournament.objects.filter(slug=DEMO_SLUG).first()
    if tournament is None:
        tournament = actions.create_tournament(
            None, **DEMO | ({"groups": groups} if groups else {})
        )
    if tournament.state == Tournament.State.DRAFT:
        tournament = actions.open_(tournament, None)
    if tournament.state == Tournament.State.OPEN:
        entered = set(tournament.entries.values_list("bot__name", flat=True))
        for name in sorted({house.PREFIX + name for name in DEMO_BOTS} - entered):
            actions.enter(tournament, Bot.objects.get(name=name), None)
        tournament = actions.start(tournament, None)
    return tournament


def _about(source: bytes) -> str:
    """The first sentence of the program's own words."""
    text = ast.get_docstring(ast.parse(source)) or ""
    return " ".join(text.partition("\n\n")[0].split())[:300]
