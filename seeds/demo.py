"""Fills a fresh site with the house bots and tournaments between them.

Everything here can be repeated: existing rows stay unchanged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.text import slugify

from bots.actions import install_house_bot
from bots.models import Bot, BotVersion
from bots.referee import house
from engine import Format, registry
from engine.registry import BUILT_IN
from tournaments import actions
from tournaments.models import Analysis, Match, Tournament
from tournaments.reading.live import most_dramatic

SLOW = ("search", "expert")
"""House bots that use most of their time, which is too long for a demo."""

FEW_PLAYOUTS = 60
"""Playouts of the demo's analyses: all five take half a minute on two cores."""

LADDER = {"ahead": 16, "first": 20, "enough": 40}
"""Settings of the demo's ladders: forty deal groups per bot, then they wait for newcomers."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A tournament of the house bots, identified by the slug of its name."""

    name: str
    format: str
    groups: int
    """Deal groups per pair: enough to distinguish the bots, but finished in seconds."""

    @property
    def slug(self) -> str:
        return slugify(self.name)

    @property
    def bots(self) -> list[str]:
        """The house bots that play this format quickly."""
        fmt = Format.parse(self.format)
        playing = (name for name in house.names() if name.partition("-")[0] not in SLOW)
        return [house.PREFIX + name for name in playing if house.load(name).manifest.claims(fmt)]


_PLANNED = (
    Demo("House match", "cassino/standard/1v1", 10),
    Demo("House pairs", "cassino/standard/2v2", 4),
    Demo("House canasta", "canasta/classic/2v2?deals=2", 4),
    Demo("House spoons", "spoon-eye/standard/1v1?target=50", 4),
    Demo("House zwicker", "zwicker/grupp/1v1", 4),
    Demo("House paks", "paks/standard/1v1?deals=2", 4),
)
# Games that this engine lacks are left out.
DEMOS = tuple(demo for demo in _PLANNED if demo.format.partition("/")[0] in BUILT_IN)


def seed_house_bots() -> list[BotVersion]:
    """Install every house bot as a ready version; changed packages become new versions."""
    return [
        install_house_bot(package, house.PREFIX + name, _about(package.files["bot.py"]))
        for name in house.names()
        for package in [house.load(name)]
    ]


def demo_tournaments(groups: int | None = None) -> list[Tournament]:
    """The demo's tournaments: created with `groups` deal groups per pair, entered and started."""
    return [_started(demo, groups or demo.groups) for demo in DEMOS]


def demo_analyses(tournaments: Iterable[Tournament]) -> list[Analysis]:
    """Analyses of the most dramatic match of each game, requested if there is none."""
    chosen: dict[str, Tournament] = {}
    for tournament in tournaments:
        chosen.setdefault(tournament.format.partition("/")[0], tournament)
    keys = [most_dramatic(tournament) for tournament in chosen.values()]
    matches = Match.objects.filter(pk__in=[key for key in keys if key is not None])
    return [actions.request_analysis(match, None, playouts=FEW_PLAYOUTS) for match in matches]


def demo_ladders() -> list[Tournament]:
    """A ladder of house bots for each game, which any bot may join."""
    return [
        _ladder(game) for game in dict.fromkeys(demo.format.partition("/")[0] for demo in DEMOS)
    ]


def _ladder(game: str) -> Tournament:
    demo = next(demo for demo in DEMOS if demo.format.startswith(f"{game}/"))
    name = f"{registry.game(game).title} ladder"
    tournament = Tournament.objects.filter(slug=slugify(name)).first()
    if tournament is None:
        tournament = actions.create_tournament(
            None,
            name=name,
            description="Open day and night. Enter your bot: it plays within seconds.",
            format=demo.format,
            stages=[{"system": "ladder", "groups": 1, "settings": LADDER}],
        )
    return _enter_and_start(tournament, demo.bots)


def _started(demo: Demo, groups: int) -> Tournament:
    tournament = Tournament.objects.filter(slug=demo.slug).first()
    if tournament is None:
        text = f"The bots that come with the site, {groups} deal groups each pair."
        tournament = actions.create_tournament(
            None,
            name=demo.name,
            description=text,
            format=demo.format,
            groups=groups,
        )
    return _enter_and_start(tournament, demo.bots)


def _enter_and_start(tournament: Tournament, bots: list[str]) -> Tournament:
    """Enter the bots and start the tournament, unless it has started."""
    if tournament.state == Tournament.State.DRAFT:
        tournament = actions.open_(tournament, None)
    if tournament.state == Tournament.State.OPEN:
        entered = set(tournament.entries.values_list("bot__name", flat=True))
        for name in sorted(set(bots) - entered):
            actions.enter(tournament, Bot.objects.get(name=name), None)
        tournament = actions.start(tournament, None)
    return tournament


def _about(source: bytes) -> str:
    """The first paragraph of the program's docstring, at most 300 characters."""
    text = ast.get_docstring(ast.parse(source)) or ""
    return " ".join(text.partition("\n\n")[0].split())[:300]
