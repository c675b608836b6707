"""Types of all pairing systems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias

from cardroom_base.core.fields import FieldError, WholeNumber
from tournaments.unplayed import SCORING

Pairing: TypeAlias = tuple[int, ...]
"""Entrants (indices from 0) that meet, side after side. `State.sizes` has the number of entrants on
each side, which is greater than 1 only if partners rotate."""

Round: TypeAlias = tuple[Pairing, ...]
"""Pairings that can be played at the same time: no entrant is in two of them."""

Places: TypeAlias = list[tuple[int, ...]]
"""Entrants by place, best first; entrants in one tuple share a place."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A pairing with its results so far."""

    entrants: Pairing

    points: tuple[float, ...] = ()
    """By side: group points (0 to 1 each), summed over the finished deal groups."""

    differences: tuple[float, ...] = ()
    """By side: score differences, summed over the finished deal groups."""

    groups: int = 0
    """Deal groups that are finished and count; 0 if there is no result."""

    void: int = 0
    """Void deal groups (`tournaments.unplayed`)."""

    open: bool = False
    """Whether matches are still to be played. Systems other than ladder and trial pair only when
    no meeting is open; brackets and places may be shown earlier."""


def split_sides(pairing: Pairing, table: Sequence[int]) -> list[Pairing]:
    """The entrants of each side of a pairing; `table`: their number on each side."""
    sides, start = [], 0
    for size in table:
        sides.append(pairing[start : start + size])
        start += size
    return sides


@dataclass(frozen=True, slots=True)
class State:
    """The input of a pairing system."""

    entrants: int
    """The number of entrants; they are 0 … entrants - 1, in the order of their seeds."""

    sides: int
    """Sides of a pairing."""

    seed: str
    """The seed of random choices."""

    rounds: tuple[tuple[Meeting, ...], ...] = ()
    """The rounds paired so far, oldest first, with their results."""

    settings: Mapping[str, int] = field(default_factory=dict)
    """The system's settings; missing ones have their defaults."""

    sizes: tuple[int, ...] = ()
    """The number of entrants on each side; more than one if partners rotate. Empty: one each."""

    apart: frozenset[tuple[int, int]] = frozenset()
    """Pairs (smaller index first) that should not meet if it can be avoided."""

    groups: int = 1
    """Deal groups of a pairing."""

    ratings: tuple[float, ...] = ()
    """By entrant, in Elo points, for systems that pair by rating; empty if unknown."""

    errors: tuple[float, ...] = ()
    """By entrant: half of the rating's 95 % interval."""

    intervals: tuple[tuple[float | None, float | None], ...] = ()
    """By entrant: the rating's 95 % interval, which standings show; None: that end is open."""

    present: frozenset[int] | None = None
    """Entrants that can be paired; None: all."""

    departures: Mapping[int, int] = field(default_factory=dict)
    """The number of rounds paired before an entrant left, if known."""

    arrivals: Mapping[int, int] = field(default_factory=dict)
    """The number of rounds paired before a late entrant came; these give it no points."""

    before: int = 0
    """The number of rounds before those in `rounds` (`System.by_rating` lists only the latest)."""

    played: tuple[int, ...] = ()
    """By entrant: deal groups assigned, if `rounds` does not list all."""

    scoring: int = SCORING
    """The version of the rules for void deal groups (`tournaments.unplayed`)."""

    @property
    def table(self) -> tuple[int, ...]:
        """The number of entrants on each side, even if `sizes` is empty."""
        return self.sizes or (1,) * self.sides

    @property
    def seats(self) -> int:
        """The number of entrants in a pairing."""
        return sum(self.table)

    def teams(self, pairing: Pairing) -> list[Pairing]:
        """The entrants of each side of a pairing."""
        return split_sides(pairing, self.table)


class PairingStep(NamedTuple):
    """The next rounds of a system, or further deal groups; empty if nothing can be paired now."""

    rounds: tuple[Round, ...] = ()
    """Rounds that can be created now."""

    more: tuple[int, ...] = ()
    """Indices of pairings in the last round that each need one more deal group."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that an organizer may choose for a system."""

    name: str
    title: str
    default: int
    low: int
    high: int
    meaning: str
    """One sentence for pages."""


@dataclass(frozen=True, slots=True)
class BracketNode:
    """A pairing of a bracket, past or future."""

    name: str
    """Such as `Semifinal 1` or `Losers 2.1`."""

    entrants: tuple[int | None, ...]
    """None: not known yet."""

    winner: int | None = None
    meeting: Meeting | None = None
    """None until it is paired."""

    through: tuple[int, ...] = ()
    """The entrants that advance, best first; empty until decided."""

    part: str = ""
    """The part of the bracket, such as `Losers`; empty if there is only one."""

    bye: bool = False
    """Whether it has no meeting: too few entrants come, or it is not needed (`Box.again`)."""


@dataclass(frozen=True, slots=True)
class System:
    """A pairing system: pure functions, and texts for pages.

    It ends when nothing is left to pair; endless systems are `OpenEnded`.
    """

    endless: ClassVar[bool] = False
    """Whether it has no end of its own."""

    by_rating: ClassVar[bool] = False
    """Whether it pairs and ranks by ratings."""

    name: str
    title: str
    summary: str
    """One or two sentences for pages."""

    pair: Callable[[State], PairingStep]
    settings: tuple[Setting, ...] = ()

    wide_tables: bool = False
    """Whether it can seat three sides or more."""

    rotating_partners: bool = False
    """Whether it supports rotating partners."""

    by_results: bool = False
    """Whether rounds follow from the results of earlier ones; False: all are known at the start."""

    allows_leaving: bool = False
    """Whether withdrawn entrants are no longer paired."""

    late: Callable[[State], bool] | None = None
    """Whether an entrant that enters now would still be paired; None: late entry is impossible."""

    places: Callable[[State], Places] | None = None
    """The ranking; None: by points and tie-breaks."""

    bracket: Callable[[State], list[list[BracketNode]]] | None = None
    """Columns of nodes from the first round to the last; None: no bracket."""

    byes: Callable[[State], tuple[float, ...]] | None = None
    """By entrant: points for byes, which count like points of deal groups; None: no points."""

    def setting(self, state: State, name: str) -> int:
        """A setting's value in a state, or its default."""
        return setting(self.settings, state.settings, name)

    def checked(self, values: Mapping[str, object]) -> dict[str, int]:
        """The settings that differ from their defaults; FieldError for an invalid one."""
        by_name = {setting.name: setting for setting in self.settings}
        changed: dict[str, int] = {}
        for name, value in values.items():
            if name not in by_name:
                names = ", ".join(by_name) or "none"
                sentence = f"A {self.title} has no setting {name}; there are: {names}."
                raise FieldError(sentence, str(name)[:60])
            setting = by_name[name]
            number = WholeNumber(name, setting.low, setting.high).check(value, name)
            if number != setting.default:
                changed[name] = number
        return changed


@dataclass(frozen=True, slots=True)
class OpenEnded(System):
    """A system without an end of its own. It must be the only stage."""

    endless: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class RatingSystem(OpenEnded):
    """An open-ended system that pairs and ranks by rating; entrants may come and go.

    Its state has ratings, and only the latest rounds.
    """

    by_rating: ClassVar[bool] = True

    newcomers: Callable[[State], frozenset[int]] = field(kw_only=True)
    """Entrants whose matches have priority."""


def setting(settings: tuple[Setting, ...], values: Mapping[str, int], name: str) -> int:
    """The value of the setting called `name`, or its default."""
    if name in values:
        return values[name]
    return next(setting.default for setting in settings if setting.name == name)


@dataclass(frozen=True, slots=True)
class MeetingTable:
    """The number of meetings of each pair of entrants in some rounds."""

    counts: dict[tuple[int, int], int]
    """By pair (smaller index first); includes pairs with 0."""

    @property
    def min_count(self) -> int:
        return min(self.counts.values(), default=0)

    @property
    def max_count(self) -> int:
        return max(self.counts.values(), default=0)

    @classmethod
    def from_rounds(cls, rounds: list[Round], entrants: int | None = None) -> "MeetingTable":
        """Count the meetings among 0 … entrants - 1 (default: up to the highest that appears)."""
        if entrants is None:
            entrants = 1 + max(
                (i for round_ in rounds for pairing in round_ for i in pairing), default=-1
            )
        counts = dict.fromkeys(combinations(range(entrants), 2), 0)
        for pairing in (pairing for round_ in rounds for pairing in round_):
            for pair in combinations(sorted(pairing), 2):
                counts[pair] += 1
        return cls(counts)
