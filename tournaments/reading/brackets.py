"""The brackets of a tournament: who meets whom in the knock-outs among its stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tournaments.deal_groups import Entrant
from tournaments.models import Entry, Stage, Tournament
from tournaments.pairing import Node, get_system
from tournaments.reading.tables import Stages, paired_stages


@dataclass(frozen=True, slots=True)
class BracketSide:
    """A side of a pairing in a bracket."""

    entry: Entry | None = None
    """None while it is not known who will play there."""

    seed: int | None = None
    """1, 2, … in its division."""

    points: float | None = None
    """Group points of the pairing so far; None before the first."""

    difference: float | None = None
    winner: bool = False
    through: bool = False
    """Whether it goes on from there."""


@dataclass(frozen=True, slots=True)
class BracketPairing:
    """A pairing of a bracket, made or still to come."""

    name: str
    part: str
    sides: tuple[BracketSide, ...]
    groups: int
    """Deal groups with a finished match."""

    state: str
    """`bye`, `coming` (not paired yet), `playing` or `decided`."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bracket of one division of a stage, from its first round to its last."""

    stage: Stage
    division: int
    columns: list[list[BracketPairing]]


def has_bracket(tournament: Tournament) -> bool:
    """Whether one of its stages is a knock-out."""
    return any(get_system(stage.system).bracket for stage in tournament.stages.all())


def brackets(tournament: Tournament) -> list[Bracket]:
    """Those of the stages that have been paired so far, in the order of the stages."""
    return resolved(tournament, drawn(paired_stages(tournament)))


def drawn(stages: Stages) -> list[Any]:
    """The same as JSON, to be kept: stage, number and columns of each division."""
    return [
        [
            division.stage,
            division.number,
            [
                [_pairing(node, division.entrants) for node in column]
                for column in division.system.bracket(division.state)
            ],
        ]
        for divisions in stages
        for division in divisions
        if division.system.bracket is not None
    ]


def resolved(
    tournament: Tournament, kept: list[Any], known: Mapping[int, Entry] | None = None
) -> list[Bracket]:
    """What `drawn` made, with the entries; `known`: those that the caller has read already."""
    if not kept:
        return []
    stages = {stage.number: stage for stage in tournament.stages.all()}
    if known is None:
        entries = tournament.entries.with_members().order_by("number")
        known = {entry.pk: entry for entry in entries}
    return [
        Bracket(stages[stage], number, [[_resolved(each, known) for each in c] for c in columns])
        for stage, number, columns in kept
    ]


def _resolved(kept: dict[str, Any], known: Mapping[int, Entry]) -> BracketPairing:
    sides = tuple(
        BracketSide(**{**side, "entry": known.get(side["entry"])})  # none where nobody is known yet
        for side in kept["sides"]
    )
    return BracketPairing(**{**kept, "sides": sides})


def _pairing(node: Node, known: Sequence[Entrant]) -> dict[str, Any]:
    return {
        "name": node.name,
        "part": node.part,
        "sides": [_side(node, index, known) for index in range(len(node.entrants))],
        "groups": node.meeting.groups if node.meeting else 0,
        "state": _state(node),
    }


def _side(node: Node, index: int, known: Sequence[Entrant]) -> dict[str, Any]:
    entrant = node.entrants[index]
    if entrant is None:
        return {"entry": None}
    meeting = node.meeting
    scored = meeting is not None and meeting.groups > 0
    return {
        "entry": known[entrant],
        "seed": entrant + 1,
        "points": meeting.points[index] if meeting and scored else None,
        "difference": meeting.differences[index] if meeting and scored else None,
        "winner": entrant == node.winner,
        "through": entrant in node.through,
    }


def _state(node: Node) -> str:
    if node.bye:
        return "bye"
    if node.winner is not None:
        return "decided"
    return "coming" if node.meeting is None else "playing"
