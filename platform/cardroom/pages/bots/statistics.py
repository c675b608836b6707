"""A bot as those see it who watch it: its results, how it plays, the matches to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bots.models import Bot
from cardroom.pages.common import queries
from cardroom.pages.common.numbers import counted
from cardroom.pages.common.queries import MatchLine, RatingLine
from cardroom.pages.games.format_names import words
from engine import registry
from tournaments.models import BotTotal
from tournaments.projections import OVERALL
from tournaments.reading import fans
from tournaments.reading.fans import Met, Shown, Tally

OPPONENTS: Final = 8
PARTNERS: Final = 5
NUMBERS: Final = 2
"""Ratings in the head."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the results."""

    name: str
    tally: Tally
    slug: str = ""
    """Of the bot that it is about."""
    side: int | None = None

    @property
    def drawn_at(self) -> float:
        """Where the drawn ones begin in a bar of 100."""
        return round(100 * self.tally.won / self.tally.matches, 1)

    @property
    def lost_at(self) -> float:
        """Where the lost ones begin."""
        return round(100 * (self.tally.won + self.tally.drawn) / self.tally.matches, 1)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines under one heading."""

    title: str
    rows: list[Row]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Gauged:
    """A figure beside the mean of all bots."""

    shown: Shown
    at: float
    """Of 100; the mean of all is at 50."""

    @property
    def value(self) -> str:
        """As people read it."""
        return spoken(self.shown.value, self.shown.figure.unit)

    @property
    def field(self) -> str:
        """The mean of all bots, likewise."""
        return "–" if self.shown.field is None else spoken(self.shown.field, self.shown.figure.unit)


@dataclass(frozen=True, slots=True)
class Memorable:
    """A match to see."""

    title: str
    line: MatchLine
    sentence: str


@dataclass(frozen=True, slots=True)
class Fan:
    """What is told of a bot in one game."""

    game: str = ""
    whole: Tally = field(default_factory=Tally)
    parts: list[Part] = field(default_factory=list)
    plays: list[Gauged] = field(default_factory=list)
    marks: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Kind of highlight → match, and how much of it."""

    @property
    def matches(self) -> list[int]:
        """The keys of the matches to see."""
        return [match for match, _ in self.marks.values()]


def fan(bot: Bot, game: str) -> Fan:
    """What is told of a bot in a game; of one that has not been counted, nothing."""
    if not game:
        return Fan()
    found = fans.told_of(bot, game)
    parts = [
        Part("Against", _by_bot(found.versus[:OPPONENTS]), max(0, len(found.versus) - OPPONENTS)),
        Part("With, as partners", _by_bot(found.partners[:PARTNERS])),
        Part("Side", _by_side(found.sides)),
        Part("Seat", [Row(f"Seat {key + 1}", tally) for key, tally in found.seats]),
        Part("Table form", [Row(str(words(pool)), tally) for pool, tally in found.forms]),
    ]
    return Fan(
        game,
        found.whole,
        [part for part in parts if _tells(part)],
        [_gauged(shown) for shown in found.figures],
        found.matches,
    )


def _by_bot(found: Sequence[tuple[Met, Tally]]) -> list[Row]:
    return [Row(met.name, tally, met.slug) for met, tally in found]


def _by_side(found: Sequence[tuple[int, Tally]]) -> list[Row]:
    """With two sides, the first leads in the first deal, which the second deals."""
    two = ("Leads first", "Deals first") if len(found) == 2 else ()
    names = {key: two[key] if key < len(two) else f"Side {key + 1}" for key, _ in found}
    return [Row(names[key], tally, side=key) for key, tally in found]


def _tells(part: Part) -> bool:
    """One seat, side or form says what the whole says."""
    return len(part.rows) > (part.title in {"Side", "Seat", "Table form"})


def _gauged(shown: Shown) -> Gauged:
    mean = shown.field
    if not mean:
        return Gauged(shown, 50.0)
    return Gauged(shown, round(50 + 45 * max(-1.0, min(1.0, (shown.value - mean) / mean)), 1))


def spoken(value: float, unit: str) -> str:
    """A figure as people read it."""
    if unit == "share":
        return f"{100 * value:.0f} %"
    if unit == "move":
        return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


# --- matches to see -----------------------------------------------------------------------------

_TITLES: Final[Mapping[str, str]] = {
    BotTotal.Kind.BEST: "Best",
    BotTotal.Kind.WORST: "Worst",
    BotTotal.Kind.COMEBACK: "Comeback",
    BotTotal.Kind.LONGEST: "Most deals",
}


def memorable(bot: Bot, told: Fan, lines: Mapping[int, MatchLine]) -> list[Memorable]:
    """The matches to see, each once, in words."""
    found: dict[int, Memorable] = {}
    for kind, (match, worth) in told.marks.items():
        line = lines.get(match)
        if line is not None and line.match.revealed and match not in found:
            found[match] = Memorable(_TITLES[kind], line, _sentence(bot, kind, worth, line))
    return list(found.values())


def _sentence(bot: Bot, kind: str, worth: float, line: MatchLine) -> str:
    own = next(
        side for side in line.sides if any(player.slug == bot.slug for player in side.players)
    )
    others = [side for side in line.sides if side is not own]
    names = " and ".join(side.name for side in others)
    first = [side for side in line.sides if side.won]
    verb = "lost to" if not own.won else "beat" if len(first) == 1 else "drew with"
    scores = " – ".join(str(side.score).replace("-", "−") for side in (own, *others))
    more = {
        BotTotal.Kind.COMEBACK: f" from {worth:.0f} behind",
        BotTotal.Kind.LONGEST: f" after {counted(int(worth), 'deal')}",
    }
    return f"{verb} {names} {scores}{more.get(BotTotal.Kind(kind), '')}"


# --- ratings -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A rating, with its pool in words."""

    line: RatingLine
    words: str


def numbers(lines: Sequence[RatingLine]) -> list[Number]:
    """The ratings of the forms that a bot has played most, in words."""
    forms = [line for line in lines if "/" in line.rating.pool]
    most = sorted(forms, key=lambda line: -line.rating.matches)[:NUMBERS]
    return [Number(line, pool_words(line.rating.pool)) for line in most]


def in_words(lines: Iterable[RatingLine]) -> list[Number]:
    """Ratings with the words for their pools, forms of games first."""
    ordered = sorted(lines, key=lambda line: _order(line.rating.pool))
    return [Number(line, pool_words(line.rating.pool)) for line in ordered]


def _order(pool: str) -> tuple[bool, bool, str]:
    return pool == OVERALL, "/" not in pool, pool


def pool_words(name: str) -> str:
    """A pool as people name it."""
    if name == OVERALL:
        return "All games"
    if "/" in name:
        return str(words(name))
    try:
        return registry.game(name).title
    except ValueError:  # a game that this site no longer has
        return name


@dataclass(frozen=True, slots=True)
class PoolChoice:
    """A pool whose history can be shown."""

    name: str
    words: str


def pool_choices(names: Iterable[str]) -> list[PoolChoice]:
    """These pools, forms of games first."""
    return [PoolChoice(name, pool_words(name)) for name in sorted(names, key=_order)]


def game_of(pool: str, lines: Sequence[RatingLine]) -> str:
    """The game of a pool; of all games the one that is played most."""
    if pool and pool != OVERALL:
        return pool.partition("/")[0]
    numbered = numbers(lines)
    return numbered[0].line.rating.pool.partition("/")[0] if numbered else ""


def lines_of(keys: Iterable[int]) -> dict[int, MatchLine]:
    """All matches that a page shows, read at once."""
    return queries.lines_of(list(dict.fromkeys(keys)))
