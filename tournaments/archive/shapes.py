"""What stands in an archive, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, cast

from engine import Format
from tournaments.archive.limits import MAX_ENTRIES, MAX_TIE_BREAKS
from tournaments.course.divisions import Conditions
from tournaments.course.stages import Plan, parse_stages
from tournaments.deal_groups import Entrant, Side
from tournaments.standings import Cell, Row
from tournaments.unplayed import SCORING

T = TypeVar("T")

KIND = "tournament"
VERSION = 3
"""The version that is written. In version 1 every deal followed from the tournament's seed, nothing
was hidden, and there were no commitments. Up to version 2 void deal groups counted nothing
(`tournaments.unplayed`)."""
VERSIONS = (1, 2, VERSION)
"""Those that can be read."""
ROTATING = "rotating"
UNFINISHED = frozenset({"waiting", "playing", "stuck"})
STATES = UNFINISHED | {"finished", "void"}
"""Of matches."""


class ArchiveError(Exception):
    """Something in an archive is wrong; the message says in which file, and what."""


@dataclass(frozen=True, slots=True)
class Member:
    """A bot of an entry, as it was when the archive was made."""

    bot: str
    author: str | None
    """None: a house bot."""

    version: int
    package: str
    """SHA-256 of the version's package."""


@dataclass(frozen=True, slots=True)
class ArchivedEntry:
    """What takes part: a bot or a team."""

    number: int
    """Names it everywhere in the archive."""

    name: str
    withdrawn: bool
    members: tuple[Member, ...]
    left: tuple[int, int] | None = None
    """When it withdrew: the last stage that had been paired, and how many of its rounds. None on a
    ladder, and up to version 2."""


@dataclass(frozen=True, slots=True)
class ArchivedSeat:
    """Who sat on a seat."""

    entry: int
    bot: str
    version: int
    package: str


@dataclass(frozen=True, slots=True)
class Played:
    """A match of a deal group."""

    match: int
    """Its number on the site."""

    rotation: int
    state: str
    """As on the site: `finished` has a record and a result, `void` does not count."""

    seats: tuple[ArchivedSeat, ...]
    scores: tuple[int, ...] = ()
    """By side; empty without a result."""

    ranks: tuple[int, ...] = ()
    faults: tuple[int, ...] = ()
    """Sides that made a fault."""

    @property
    def finished(self) -> bool:
        """Whether it has a result."""
        return self.state == "finished"

    @property
    def record(self) -> str:
        """Where its record is in the archive."""
        return f"records/{self.match}.json"


@dataclass(frozen=True, slots=True)
class ArchivedGroup:
    """A deal group."""

    number: int
    stage: int
    division: int
    round: int
    pairing: int
    group: int
    commitment: str | None
    """The commitment to the seed, public once the group is paired; None in version 1."""

    seed: str | None
    """None while matches of the group are still to be played."""

    retired: bool
    """Whether it no longer counts."""

    sides: tuple[Side, ...]
    """Entries by number, in the order of the first match."""

    matches: tuple[Played, ...]

    def __str__(self) -> str:
        return f"deal group {self.number}"

    @property
    def open(self) -> bool:
        """Whether matches of it are still to be played."""
        return any(played.state in UNFINISHED for played in self.matches)


@dataclass(frozen=True, slots=True)
class Head:
    """What was decided before the first match."""

    slug: str
    format: str
    partners: str
    seed: str
    """Decides lots and pairings; where it was chosen, the deals, too."""

    chosen_seed: bool
    state: str
    tie_breaks: tuple[str, ...]
    apart: bool
    stages: tuple[Plan, ...]
    entries: tuple[ArchivedEntry, ...]
    """In the order of their seeds."""

    version: int = VERSION
    """Of the archive."""

    @property
    def conditions(self) -> Conditions:
        """The same for the course."""
        return Conditions(
            fmt=Format.parse(self.format),
            seed=self.seed,
            plans=self.stages,
            entrants=tuple(entry.number for entry in self.entries),
            tie_breaks=self.tie_breaks,
            rotating=self.partners == ROTATING,
            authors={entry.number: _authors(entry) for entry in self.entries if self.apart},
            gone=frozenset(entry.number for entry in self.entries if entry.withdrawn),
            left={entry.number: entry.left for entry in self.entries if entry.left is not None},
            scoring=SCORING if self.version > 2 else 1,
        )


def _authors(entry: ArchivedEntry) -> frozenset[str | int]:
    return frozenset(member.author for member in entry.members if member.author is not None)


# --- to JSON ------------------------------------------------------------------------------------


def head_as_json(head: Head, more: Mapping[str, object]) -> dict[str, Any]:
    """`more` is what people may want to know and no check needs."""
    stages = [{"number": n, **asdict(plan)} for n, plan in enumerate(head.stages, 1)]
    shown = {"cardroom": head.version, "kind": KIND, **asdict(head), "stages": stages, **more}
    del shown["version"]
    return shown


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


class Reader:
    """A JSON object whose fields are asked for by name and type."""

    def __init__(self, value: object, where: str) -> None:
        """`where` names the object in messages."""
        if not isinstance(value, dict):
            raise ArchiveError(f"{where} is not a JSON object.")
        self.value: dict[str, object] = value
        self.where = where

    def get(self, key: str, kind: type[T]) -> T:
        """The field; ArchiveError if it is missing or of another type."""
        found = self.value.get(key)
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
            names = {str: "text", int: "a whole number", bool: "true or false", list: "a list"}
            raise ArchiveError(f"{self.where}: {key} must be {names[kind]}, not {found!r:.60}.")
        return found

    def maybe_text(self, key: str) -> str | None:
        """A text or null."""
        return None if self.value.get(key) is None else self.get(key, str)

    def objects(self, key: str) -> list[Reader]:
        """The objects of a list."""
        found: list[object] = self.get(key, list)
        return [Reader(each, f"{self.where}: {key}[{i}]") for i, each in enumerate(found)]

    def numbers(self, key: str) -> tuple[int, ...]:
        """Whole numbers."""
        found: list[object] = self.get(key, list)
        if any(isinstance(each, bool) or not isinstance(each, int) for each in found):
            raise ArchiveError(f"{self.where}: {key} must be whole numbers.")
        return cast(tuple[int, ...], tuple(found))

    def texts(self, key: str) -> tuple[str, ...]:
        """Texts."""
        found: list[object] = self.get(key, list)
        if not all(isinstance(each, str) for each in found):
            raise ArchiveError(f"{self.where}: {key} must be a list of texts.")
        return cast(tuple[str, ...], tuple(found))

    def sides(self, key: str) -> tuple[Side, ...]:
        """Entries' numbers, or lists of them."""
        found: list[object] = self.get(key, list)
        nested = [each if isinstance(each, list) else [each] for each in found]
        for each in nested:
            Reader({key: each}, self.where).numbers(key)
        return cast(
            tuple[Side, ...],
            tuple(tuple(each) if isinstance(each, list) else each for each in found),
        )


def read_head(value: object) -> Head:
    """The head of `tournament.json`; ArchiveError says what is wrong."""
    data = Reader(value, "tournament.json")
    version = data.get("cardroom", int)
    if data.get("kind", str) != KIND or version not in VERSIONS:
        raise ArchiveError(f"tournament.json is not of a {KIND} in version 1 to {VERSION}.")
    stages: list[Any] = data.get("stages", list)
    try:
        Format.parse(data.get("format", str))
        plans = parse_stages([_plan_of(stage) for stage in stages])
    except ValueError as error:
        raise ArchiveError(f"tournament.json: {error}") from error
    head = Head(
        slug=data.get("slug", str),
        format=data.get("format", str),
        partners=data.get("partners", str),
        seed=data.get("seed", str),
        chosen_seed=version == 1 or data.get("chosen_seed", bool),
        state=data.get("state", str),
        tie_breaks=data.texts("tie_breaks"),
        apart=data.get("apart", bool),
        stages=tuple(plans),
        entries=tuple(map(_entry, data.objects("entries"))),
        version=version,
    )
    if len(head.entries) > MAX_ENTRIES or len(head.tie_breaks) > MAX_TIE_BREAKS:
        raise ArchiveError(
            f"tournament.json: there are {MAX_ENTRIES:,} entries and {MAX_TIE_BREAKS} tie-breaks "
            "at most."
        )
    if len({entry.number for entry in head.entries}) < len(head.entries):
        raise ArchiveError("tournament.json: two entries have the same number.")
    return head


def _plan_of(stage: object) -> object:
    if not isinstance(stage, dict):
        return stage
    return {key: value for key, value in stage.items() if key != "number"}


def _entry(data: Reader) -> ArchivedEntry:
    return ArchivedEntry(
        number=data.get("number", int),
        name=data.get("name", str),
        withdrawn=data.get("withdrawn", bool),
        left=_left(data),
        members=tuple(
            Member(
                bot=member.get("bot", str),
                author=member.maybe_text("author"),
                version=member.get("version", int),
                package=member.get("package", str),
            )
            for member in data.objects("members")
        ),
    )


def _left(data: Reader) -> tuple[int, int] | None:
    if data.value.get("left") is None:
        return None
    match data.numbers("left"):
        case (stage, rounds):
            return stage, rounds
    raise ArchiveError(f"{data.where}: left must be a stage and a number of rounds.")


def read_deal_group(value: object, line: int) -> ArchivedGroup:
    """One line of `fixtures.jsonl`."""
    data = Reader(value, f"fixtures.jsonl, line {line}")
    return ArchivedGroup(
        **{
            key: data.get(key, int)
            for key in ("number", "stage", "division", "round", "pairing", "group")
        },
        commitment=data.maybe_text("commitment"),
        seed=data.maybe_text("seed"),
        retired=data.get("retired", bool),
        sides=data.sides("sides"),
        matches=tuple(map(_played, data.objects("matches"))),
    )


def _played(data: Reader) -> Played:
    return Played(
        match=data.get("match", int),
        rotation=data.get("rotation", int),
        state=data.get("state", str),
        seats=tuple(
            ArchivedSeat(
                entry=seat.get("entry", int),
                bot=seat.get("bot", str),
                version=seat.get("version", int),
                package=seat.get("package", str),
            )
            for seat in data.objects("seats")
        ),
        scores=data.numbers("scores"),
        ranks=data.numbers("ranks"),
        faults=data.numbers("faults"),
    )
