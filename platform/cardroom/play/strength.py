"""Which house bots there are for a game, and which of them does what at tables."""

from __future__ import annotations

from typing import Final

from bots import house
from bots.manifest import covers
from bots.names import HOUSE
from engine import Format
from engine.search import LEVELS

_LEVELS: Final = [f"{house.LEVELED}-{level}" for level in LEVELS]
WEAK_TO_STRONG: Final = (
    *("random", *_LEVELS[:2]),
    *("greedy", "search", *_LEVELS[2:]),
    house.LEVELED,
)
"""House bots that play every game, weakest first; a game's own plays best but for the expert."""

_WORDS: Final = {
    "random": "First games: plays any card.",
    "greedy": "Learner: takes what it can.",
    "search": "Club player: looks ahead.",
    house.LEVELED: "The strongest: thinks as long as it may.",
}


def for_format(fmt: Format) -> list[str]:
    """The house bots that play a format as `house:NAME`, weakest first."""
    there = set(house.names())
    order = [*WEAK_TO_STRONG, *sorted(there - set(WEAK_TO_STRONG))]
    order = [name for name in order if name in there and name not in (fmt.game, house.LEVELED)]
    order += [name for name in (fmt.game, house.LEVELED) if name in there]
    return [f"{HOUSE}{name}" for name in order if _plays(name, fmt)]


def in_words(bot: str, game: str) -> str:
    """How strong a house bot is, for somebody who chooses it to play a game of this title."""
    name = bot.removeprefix(HOUSE)
    level = name.removeprefix(f"{house.LEVELED}-")
    if level != name:
        missed = LEVELS[int(level)].overlooks
        what = f"overlooks {missed:.0%} of its moves" if missed else "overlooks nothing"
        return f"Level {level} of {len(LEVELS)}: looks ahead, {what}."
    return _WORDS.get(name, f"Plays {game} only, and knows its tricks.")


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
