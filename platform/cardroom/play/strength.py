"""Which house bots there are for a game, and which of them does what at tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bots import house
from bots.manifest import covers
from bots.names import HOUSE
from engine import Format
from engine.search import LEVELS, level

_LEVELS: Final = [f"{house.LEVELED}-{number}" for number in LEVELS]
_WEAKER_THAN_GREEDY: Final[Mapping[str, int]] = {"canasta": 1, "paks": 1, "spoon-eye": 0}
"""How many levels are, by game; of other games as many as at Cassino (docs/14-expert.md)."""
_AT_CASSINO: Final = 2

_WORDS: Final = {
    "random": "First games: plays any card.",
    "greedy": "Learner: takes what it can.",
    "search": "Club player: looks ahead.",
    house.LEVELED: "The strongest: thinks as long as it may.",
}


def for_format(fmt: Format) -> list[str]:
    """The house bots that play a format as `house:NAME`, weakest first."""
    there = set(house.names())
    weaker = _WEAKER_THAN_GREEDY.get(fmt.game, _AT_CASSINO)
    order = ["random", *_LEVELS[:weaker], "greedy", "search", *_LEVELS[weaker:]]
    order += sorted(there - {*order, fmt.game, house.LEVELED})
    order += [fmt.game, house.LEVELED]  # a game's own plays best but for the expert
    return [f"{HOUSE}{name}" for name in order if name in there and _plays(name, fmt)]


def in_words(bot: str, fmt: Format) -> str:
    """How strong a house bot is, for somebody who chooses it to play this format."""
    name = bot.removeprefix(HOUSE)
    number = name.removeprefix(f"{house.LEVELED}-")
    if number != name:
        missed = level(int(number), fmt.game).overlooks
        what = f"overlooks {missed:.0%} of its moves" if missed else "overlooks nothing"
        return f"Level {number} of {len(LEVELS)}: looks ahead, {what}."
    return _WORDS.get(name, f"Plays {fmt.spec.title} only, and knows its tricks.")


def expert(fmt: Format) -> str:
    """The one that gives hints: it searches, and says what it expects; else the game's own."""
    there = for_format(fmt)
    best = f"{HOUSE}{house.LEVELED}"
    return best if best in there else own(fmt)


def own(fmt: Format) -> str:
    """The one that knows the game and answers at once; else the one that plays anything fast."""
    named = f"{HOUSE}{fmt.game}"
    return named if named in for_format(fmt) else substitute(fmt)


def substitute(fmt: Format) -> str:
    """The one that plays on for somebody who has gone."""
    greedy = f"{HOUSE}greedy"
    return greedy if greedy in for_format(fmt) else f"{HOUSE}random"


def compared(fmt: Format) -> list[str]:
    """Those that play a finished deal again."""
    return list(dict.fromkeys([own(fmt), substitute(fmt), f"{HOUSE}random"]))


def _plays(name: str, fmt: Format) -> bool:
    return any(covers(pattern, fmt) for pattern in house.load(name).manifest.formats)
