"""The types that all pairing systems share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias

from cardroom_base.core.fields import FieldError, WholeNumber
from tournaments.unplayed import SCORING

Pairing: TypeAlias = tuple[int, ...]
"""Entrants (indices from 0) that meet: one for each side of the table, or, where partners rotate,
first those of side 0 together, then those of side 1, … (`State.sizes` says how many)."""

Round: TypeAlias = tuple[Pairing, ...]
"""Pairings that can be played at the same time: no entrant is in two of them."""

Places: TypeAlias = list[tuple[int, ...]]
"""Entrants by place, best first; those that share a place stand together."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A pairing that was made, and its results so far."""

    entrants: Pairing

    points: tuple[float, ...] = ()
    """Of each side: group points (0 to 1 each) summed over the finished deal groups."""

    differences: tuple[float, ...] = ()
    """Of each side: score difference summed over the finished deal groups."""

    groups: int = 0
    """Deal groups that are finished and count; 0 if there is no result."""

    void: int = 0
    """Deal groups that do not count and will not be played (`tournaments.unplayed`)."""

    open: bool = False
    """Whether matches of it are still to be played. Systems are asked only when none is; brackets
    and places may be shown earlier."""


def split(pairing: Pairing, table: Sequence[int]) -> list[Pairing]:
    """The entrants of each side of a pairing, where `table` says how many a side takes."""
    teams, start = [], 0
    for size in table:
        teams.append(pairing[start : start + size])
        start += size
    return teams


@dataclass(frozen=True, slots=True)
class State:
    """What a pairing system may know when it pairs."""

    entrants: int
    """How many entrants there are; they are 0 … entrants - 1, in the order of their seeds."""

    sides: int
    """How many sides meet in a pairing."""

    seed: str
    """Decides every choice that the system leaves open."""

    rounds: tuple[tuple[Meeting, ...], ...] = ()
    """The rounds paired so far, oldest first, with their results."""

    settings: Mapping[str, int] = field(default_factory=dict)
    """The system's own numbers; missing ones have their defaults."""

    sizes: tuple[int, ...] = ()
    """How many entrants each side takes; empty: one each. More where partners rotate."""

    apart: frozenset[tuple[int, int]] = frozenset()
    """Pairs (smaller index first) that should not meet as long as that can be avoided."""

    groups: int = 1
    """Deal groups of a pairing."""

    ratings: tuple[float, ...] = ()
    """Elo points of each entrant, as far as known; for systems that seek close games."""

    errors: tuple[float, ...] = ()
    """How unsure each of them is: half of its 95 % interval."""

    present: frozenset[int] | None = None
    """Who can be paired; None: everybody."""

    left: Mapping[int, int] = field(default_factory=dict)
    """How many rounds had been paired when an entrant left, of those of whom that is known."""

    before: int = 0
    """How many rounds came before `rounds` and are no longer listed (`System.by_rating`)."""

    played: tuple[int, ...] = ()
    """Deal groups that each entrant has been given, where `rounds` does not list them all."""

    scoring: int = SCORING
    """By which rules void deal groups count (`tournaments.unplayed`)."""

    @property
    def table(self) -> tuple[int, ...]:
        """How many entrants each side takes, also where `sizes` was left out."""
        return self.sizes or (1,) * self.sides

    @property
    def seats(self) -> int:
        """How many entrants a pairing takes."""
        return sum(self.table)

    def teams(self, pairing: Pairing) -> list[Pairing]:
        """The entrants of each side of a pairing."""
        return split(pairing, self.table)


class Step(NamedTuple):
    """What a system wants next; with neither rounds nor more, it is complete."""

    rounds: tuple[Round, ...] = ()
    """Rounds that can be created now."""

    more: tuple[int, ...] = ()
    """Pairings of the last round, by index, that need one more deal group each to be decided."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that an organizer may choose for a system."""

    name: str
    title: str
    default: int
    low: int
    high: int
    meaning: str
    """One sentence, for people."""


@dataclass(frozen=True, slots=True)
class Node:
    """One pairing of a bracket, made or still to come."""

    name: str
    """Such as `Semifinal 1` or `Losers 2.1`."""

    entrants: tuple[int | None, ...]
    """Who meets; None where that is not known yet."""

    winner: int | None = None
    meeting: Meeting | None = None
    """None until it is paired."""

    through: tuple[int, ...] = ()
    """Who goes on from there, best first, as soon as that is decided."""

    part: str = ""
    """The part of the bracket, such as `Losers`; empty where there is only one."""

    bye: bool = False
    """Whether nothing is played there: one entrant goes through, or nobody comes."""


@dataclass(frozen=True, slots=True)
class System:
    """A pairing system: a pure function, and what people and pages need to know of it.

    It comes to an end by itself, when there is nothing left to pair. Systems that do not are
    `OpenEnded`.
    """

    endless: ClassVar[bool] = False
    """Whether it goes on until the organizer ends it."""

    by_rating: ClassVar[bool] = False
    """Whether it pairs and ranks by ratings."""

    name: str
    title: str
    summary: str
    """One or two sentences: who meets whom, when it ends."""

    pair: Callable[[State], Step]
    settings: tuple[Setting, ...] = ()

    wide: bool = False
    """Whether it can seat three sides or more."""

    rotating: bool = False
    """Whether it can seat entrants as changing partners."""

    leaving: bool = False
    """Whether an entrant that withdraws after the start is no longer paired from then on."""

    places: Callable[[State], Places] | None = None
    """How it ranks; None means by points and tie-breaks."""

    bracket: Callable[[State], list[list[Node]]] | None = None
    """Its bracket, columns of nodes from the first round to the last; None: it has none."""

    byes: Callable[[State], tuple[float, ...]] | None = None
    """The points that each entrant has for rounds in which it sat out; None if it gives none.

    They count in the standings like points of deal groups."""

    def setting(self, state: State, name: str) -> int:
        """A setting's value in a state, or its default."""
        return setting(self.settings, state.settings, name)

    def checked(self, values: Mapping[str, object]) -> dict[str, int]:
        """The settings that differ from their defaults; FieldError names what is allowed."""
        known = {setting.name: setting for setting in self.settings}
        chosen: dict[str, int] = {}
        for name, value in values.items():
            if name not in known:
                there = ", ".join(known) or "none"
                sentence = f"A {self.title} has no setting {name}; there are: {there}."
                raise FieldError(sentence, str(name)[:60])
            each = known[name]
            number = WholeNumber(name, each.low, each.high).checked(value, name)
            if number != each.default:
                chosen[name] = number
        return chosen


@dataclass(frozen=True, slots=True)
class OpenEnded(System):
    """A system that goes on until somebody ends it, so it can be the only stage."""

    endless: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class RatingSystem(OpenEnded):
    """An open-ended system that pairs by ratings: entrants come and go, and rank by rating.

    It is given the ratings, and only the last of its rounds.
    """

    by_rating: ClassVar[bool] = True

    newcomers: Callable[[State], frozenset[int]] = field(kw_only=True)
    """Entrants whose matches are played before those of others."""


def setting(settings: tuple[Setting, ...], values: Mapping[str, int], name: str) -> int:
    """The value of the setting called `name`, or its default."""
    if name in values:
        return values[name]
    return next(setting.default for setting in settings if setting.name == name)


@dataclass(frozen=True, slots=True)
class MeetingTable:
    """How often each pair of entrants meets in some rounds."""

    counts: dict[tuple[int, int], int]
    """Meetings of each pair (smaller index first); pairs with 0 are included."""

    @property
    def fewest(self) -> int:
        """The fewest meetings of any pair."""
        return min(self.counts.values(), default=0)

    @property
    def most(self) -> int:
        """The most meetings of any pair."""
        return max(self.counts.values(), default=0)

    @classmethod
    def from_rounds(cls, rounds: list[Round], entrants: int | None = None) -> "MeetingTable":
        """Count the meetings in `rounds` among 0 … entrants - 1 (default: those who appear)."""
        if entrants is None:
            entrants = 1 + max((i for r in rounds for f in r for i in f), default=-1)
        counts = dict.fromkeys(combinations(range(entrants), 2), 0)
        for pairing in (pairing for round_ in rounds for pairing in round_):
            for pair in combinations(sorted(pairing), 2):
                counts[pair] += 1
        return cls(counts)
