"""The contents of an archive, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar, cast

from msgspec import Meta

from cardroom_base.core.json_shapes import ShapeError, convert_json
from engine import Format
from tournaments.archive.limits import MAX_ENTRIES, MAX_TIE_BREAKS
from tournaments.course.divisions import Conditions
from tournaments.course.stages import StagePlan, parse_stages
from tournaments.deal_groups import Entrant, SideEntrants
from tournaments.standings import Cell, Row
from tournaments.unplayed import SCORING

T = TypeVar("T")

KIND = "tournament"
VERSION = 3
"""The version of new archives. In version 1 all deals follow from the tournament's seed; nothing is
hidden, and there are no commitments. Up to version 2 void deal groups give no points
(`tournaments.unplayed`)."""
VERSIONS = (1, 2, VERSION)
"""Versions that can be read."""
ROTATING = "rotating"
UNFINISHED = frozenset({"waiting", "playing", "stuck"})
STATES = UNFINISHED | {"finished", "void"}
"""States of matches."""


class ArchiveError(Exception):
    """An error in an archive; the message names the file and the error."""


@dataclass(frozen=True, slots=True)
class ArchivedMember:
    """A bot of an entry when the archive was written."""

    bot: str
    author: str | None
    """None: a house bot."""

    version: int
    package: str
    """SHA-256 of the version's package."""


@dataclass(frozen=True, slots=True)
class ArchivedEntry:
    """A participant: a bot or a team."""

    number: int
    """Identifies the entry everywhere in the archive."""

    name: str
    withdrawn: bool
    members: tuple[ArchivedMember, ...]
    left: tuple[int, int] | None = None
    """When it withdrew: the last stage that had been paired, and the number of its paired rounds.
    None if it did not, on ladders, and up to version 2."""

    late: int = 0
    """Rounds of the first stage that had been paired before it entered."""


@dataclass(frozen=True, slots=True)
class ArchivedSeat:
    """The bot on a seat."""

    entry: int
    bot: str
    version: int
    package: str


@dataclass(frozen=True, slots=True)
class ArchivedMatch:
    """A match of a deal group."""

    match: int
    """Its number on the site."""

    rotation: int
    state: str
    """As on the site: `finished` has a record and a result, `void` does not count."""

    seats: tuple[ArchivedSeat, ...]
    scores: tuple[int, ...]
    """By side; empty without a result."""

    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    """Sides that committed a fault."""

    @property
    def finished(self) -> bool:
        """Whether it has a result."""
        return self.state == "finished"

    @property
    def record(self) -> str:
        """The name of its record's file in the archive."""
        return f"records/{self.match}.json"


@dataclass(frozen=True, slots=True)
class ArchivedGroup:
    """A deal group. Stage, division, round, pairing and group are numbered from 1."""

    number: int
    stage: int
    division: int
    round: int
    pairing: int
    group: int
    commitment: str | None
    """The commitment to the seed, public once the group is paired; None in version 1."""

    seed: str | None
    """None while some matches of the group are unfinished."""

    retired: bool
    """Whether it no longer counts."""

    sides: tuple[SideEntrants, ...]
    """Entries by number, in the order of the first match."""

    matches: tuple[ArchivedMatch, ...]

    def __str__(self) -> str:
        return f"deal group {self.number}"

    @property
    def open(self) -> bool:
        """Whether some of its matches are unfinished."""
        return any(played.state in UNFINISHED for played in self.matches)


@dataclass(frozen=True, slots=True)
class Head:
    """The settings and entries of the tournament, and its state."""

    slug: str
    format: str
    partners: str
    seed: str
    """Decides lots and pairings; a chosen seed decides the deals, too."""

    chosen_seed: bool
    state: str
    tie_breaks: Annotated[tuple[str, ...], Meta(max_length=MAX_TIE_BREAKS)]
    apart: bool
    stages: tuple[StagePlan, ...]
    entries: Annotated[tuple[ArchivedEntry, ...], Meta(max_length=MAX_ENTRIES)]
    """In the order of their seeds."""

    stopped: bool = False
    """Whether its scheduled end came, after which nothing more was paired."""

    version: int = VERSION
    """The version of the archive."""

    @property
    def conditions(self) -> Conditions:
        """The settings as input of the tournament's course."""
        return Conditions(
            fmt=Format.parse(self.format),
            seed=self.seed,
            plans=self.stages,
            entrants=tuple(entry.number for entry in self.entries),
            tie_breaks=self.tie_breaks,
            rotating=self.partners == ROTATING,
            authors={entry.number: _authors(entry) for entry in self.entries if self.apart},
            withdrawn=frozenset(entry.number for entry in self.entries if entry.withdrawn),
            departures={
                entry.number: entry.left for entry in self.entries if entry.left is not None
            },
            arrivals={entry.number: entry.late for entry in self.entries if entry.late},
            scoring=SCORING if self.version > 2 else 1,
        )


def _authors(entry: ArchivedEntry) -> frozenset[str | int]:
    return frozenset(member.author for member in entry.members if member.author is not None)


# --- to JSON ------------------------------------------------------------------------------------


def head_as_json(head: Head, extras: Mapping[str, object]) -> dict[str, Any]:
    """`tournament.json`; `extras`: further fields for readers, which no check needs."""
    stages = [{"number": number, **asdict(plan)} for number, plan in enumerate(head.stages, 1)]
    data = {"cardroom": head.version, "kind": KIND, **asdict(head), "stages": stages, **extras}
    del data["version"]
    return data


def row_as_json(row: Row, tie_breaks: Sequence[str], version: int = VERSION) -> dict[str, Any]:
    """One line of the standings."""
    figures = row.as_json(tie_breaks)
    if version < 3:
        del figures["void"], figures["for_void"], figures["stage"]
    return {"entry": row.entrant, **figures}


def cells_as_json(
    table: Mapping[Entrant, Mapping[Entrant, Cell]],
) -> list[dict[str, Any]]:
    """The cells of a cross table, row by row."""
    return [
        {"entry": entry, "opponent": other, **asdict(cell)}
        for entry, cells in table.items()
        for other, cell in cells.items()
    ]


# --- from JSON ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StandingsFile:
    """`standings.json`."""

    rows: list[dict[str, Any]]
    stages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """The part of a row of the standings that the cross table needs."""

    entry: int


@dataclass(frozen=True, slots=True)
class CrossTableFile:
    """`crosstable.json`."""

    cells: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _HeadStart:
    """The fields of `tournament.json` that decide how to read the others."""

    cardroom: int
    kind: str
    stages: list[dict[str, Any]]


def convert(value: object, kind: type[T], location: str) -> T:
    """Convert a value to a type; ArchiveError if it is invalid. `location` names it in messages."""
    try:
        return convert_json(value, kind)
    except ShapeError as error:
        raise ArchiveError(f"{location}: {error}") from None


def read_head(value: object) -> Head:
    """Read the head of `tournament.json`; ArchiveError if it is invalid."""
    location = "tournament.json"
    declared = convert(value, _HeadStart, location)
    if declared.kind != KIND or declared.cardroom not in VERSIONS:
        raise ArchiveError(f"{location} must describe a {KIND} in version 1 to {VERSION}.")
    changes: dict[str, Any] = {"version": declared.cardroom}
    if declared.cardroom == 1:
        changes["chosen_seed"] = True
    try:
        plans = parse_stages([_plan_of(stage) for stage in declared.stages])
        changes["stages"] = [asdict(plan) for plan in plans]
        head = convert({**cast(dict[str, Any], value), **changes}, Head, location)
        Format.parse(head.format)
    except ValueError as error:
        raise ArchiveError(f"{location}: {error}") from error
    if len({entry.number for entry in head.entries}) < len(head.entries):
        raise ArchiveError(f"{location}: two entries have the same number.")
    return head


def _plan_of(stage: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in stage.items() if key != "number"}


def read_deal_group(value: object, line: int) -> ArchivedGroup:
    """Read one line of `fixtures.jsonl`; `line`: its number, for messages."""
    if isinstance(value, dict):
        value = {"commitment": None, **value}  # version 1 has none
    return convert(value, ArchivedGroup, f"fixtures.jsonl, line {line}")
