"""The opponent scale, the other house bots, and the roles of house bots at tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from bots.package.manifest import covers
from bots.referee import house
from cardroom_base.core.names import HOUSE, display_name, slug_of
from cardroom_base.core.names import LEVELS as NAMES
from engine import Format
from engine.search import level

BOTS_OF_LEVELS: Final = tuple(NAMES)
"""The bots of the scale, as `house:NAME`; `Game.levels.rating_steps` measures their distances."""

BEGINNER_LEVEL: Final = 2
"""The level recommended to new players."""
_DESCRIPTIONS: Final = (
    "Plays any legal card, and hopes for the best.",
    "Takes what it sees, and misses a lot.",
    "Knows the game, and still overlooks chances.",
    "Seldom gives anything away.",
    "Plans the next turn. Leave it nothing.",
    "Misses nothing that it can know.",
    "Thinks longest. Few people beat it.",
)
_OTHERS: Final = {
    "greedy": "takes what it can",
    "search": "looks ahead",
}


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot of the opponent scale, which has the same seven bots in every game."""

    number: int
    bot: str
    name: str
    words: str
    more: str
    """A remark about it in this game; may be empty."""


def scale(fmt: Format) -> list[Opponent]:
    """The levels from easiest to hardest, by their measured strength in the game."""
    house_names = set(house.names())
    bots = [bot for bot in BOTS_OF_LEVELS if bot.removeprefix(HOUSE) in house_names]
    playing = [bot for bot in bots if _plays(bot.removeprefix(HOUSE), fmt)]
    steps = fmt.spec.levels.rating_steps or (1,) * (len(BOTS_OF_LEVELS) - 1)
    strength = dict(zip(BOTS_OF_LEVELS, accumulate(steps, initial=0), strict=True))
    order = sorted(playing, key=strength.__getitem__)
    return [
        Opponent(
            number, bot, display_name(bot), _DESCRIPTIONS[number - 1], _overlooks_sentence(bot, fmt)
        )
        for number, bot in enumerate(order, 1)
    ]


def wins_of_next_level(fmt: Format, number: int) -> int | None:
    """Deal groups out of 10 that the next level wins against level `number`; None if unknown or
    without a next level."""
    steps = fmt.spec.levels.rating_steps
    if not 1 <= number <= len(steps) or not steps[number - 1]:
        return None
    return round(10 / (1 + 10 ** (-steps[number - 1] / 400)))


def _overlooks_sentence(bot: str, fmt: Format) -> str:
    number = bot.rpartition("-")[2]
    if not number.isdecimal():
        return ""
    share = level(int(number), fmt.game).overlooks
    return f"It overlooks {share:.0%} of its moves." if share else "It overlooks nothing."


def address_names() -> list[str]:
    """The address names of all house bots."""
    return [slug_of(f"{HOUSE}{name}") for name in house.names()]


def other_bots(fmt: Format) -> list[str]:
    """The other house bots that play a format, as `house:NAME`; the game's own first."""
    bots = [f"{HOUSE}{name}" for name in house.names() if _plays(name, fmt)]
    unscaled = [bot for bot in bots if bot not in BOTS_OF_LEVELS]
    return sorted(unscaled, key=lambda bot: (bot != f"{HOUSE}{fmt.game}", bot))


def bots_of_format(fmt: Format) -> list[str]:
    """All house bots that play a format: the scale from the hardest step, then the others."""
    return [*[step.bot for step in reversed(scale(fmt))], *other_bots(fmt)]


def describe(bot: str, fmt: Format) -> str:
    """A short description of a house bot that is not on the scale."""
    name = bot.removeprefix(HOUSE)
    return _OTHERS.get(name, f"plays {fmt.spec.title} only, and knows its tricks")


def hint_bot(fmt: Format) -> str:
    """The bot that gives hints: the expert if it plays the format, else the game's own bot."""
    names = bots_of_format(fmt)
    expert = f"{HOUSE}{house.LEVELED}"
    return expert if expert in names else game_bot(fmt)


def game_bot(fmt: Format) -> str:
    """The game's own bot, which answers fast, if it plays the format; else the substitute."""
    bot = f"{HOUSE}{fmt.game}"
    return bot if bot in bots_of_format(fmt) else substitute(fmt)


def substitute(fmt: Format) -> str:
    """The bot that takes over from a person who has left."""
    greedy = f"{HOUSE}greedy"
    return greedy if greedy in bots_of_format(fmt) else f"{HOUSE}random"


def replay_bots(fmt: Format) -> list[str]:
    """The bots that replay finished deals."""
    return list(dict.fromkeys([game_bot(fmt), substitute(fmt), f"{HOUSE}random"]))


def _plays(name: str, fmt: Format) -> bool:
    return any(covers(pattern, fmt) for pattern in house.load(name).manifest.formats)
