"""The brackets of a tournament: who meets whom in the knock-outs among its stages."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.course.course import Division, begun
from tournaments.deal_groups import Entrant
from tournaments.models import Entry, Stage, Tournament
from tournaments.pairing import Node, get_system
from tournaments.reading.course import course


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a pairing in a bracket."""

    entry: Entry | None = None
    """None while it is not known who comes there."""

    seed: int | None = None
    """1, 2, … in its division."""

    points: float | None = None
    """Group points of the pairing so far; None before the first."""

    difference: float | None = None
    winner: bool = False
    through: bool = False
    """Whether it goes on from there."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A pairing of a bracket, made or still to come."""

    name: str
    part: str
    sides: tuple[Side, ...]
    groups: int
    """Deal groups with a finished match."""

    state: str
    """`bye`, `coming` (not paired yet), `playing` or `decided`."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bracket of one division of a stage, from its first round to its last."""

    stage: Stage
    division: int
    columns: list[list[Pairing]]


def has_bracket(tournament: Tournament) -> bool:
    """Whether one of its stages is a knock-out."""
    return any(get_system(stage.system).bracket for stage in tournament.stages.all())


def brackets(tournament: Tournament) -> list[Bracket]:
    """Those of the stages that have been paired so far, in the order of the stages."""
    found: list[Bracket] = []
    entries: dict[Entrant, Entry] = {each.pk: each for each in tournament.entries.with_members()}
    paired = begun(course(tournament))
    stages = tournament.stages.order_by("number")[: len(paired)]
    for stage, divisions in zip(stages, paired, strict=True):
        found += [made for each in divisions if (made := _bracket(stage, each, entries))]
    return found


def _bracket(stage: Stage, division: Division, entries: dict[Entrant, Entry]) -> Bracket | None:
    draw = division.system.bracket
    if draw is None:
        return None
    known = [entries[entrant] for entrant in division.entrants]
    columns = [[_pairing(node, known) for node in column] for column in draw(division.state)]
    return Bracket(stage, division.number, columns)


def _pairing(node: Node, known: list[Entry]) -> Pairing:
    sides = tuple(_side(node, index, known) for index in range(len(node.entrants)))
    return Pairing(
        name=node.name,
        part=node.part,
        sides=sides,
        groups=node.meeting.groups if node.meeting else 0,
        state=_state(node),
    )


def _side(node: Node, index: int, known: list[Entry]) -> Side:
    entrant = node.entrants[index]
    if entrant is None:
        return Side()
    meeting = node.meeting
    scored = meeting is not None and meeting.groups > 0
    return Side(
        entry=known[entrant],
        seed=entrant + 1,
        points=meeting.points[index] if meeting and scored else None,
        difference=meeting.differences[index] if meeting and scored else None,
        winner=entrant == node.winner,
        through=entrant in node.through,
    )


def _state(node: Node) -> str:
    if node.bye:
        return "bye"
    if node.winner is not None:
        return "decided"
    return "coming" if node.meeting is None else "playing"
