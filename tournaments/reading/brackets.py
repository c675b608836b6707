"""The brackets of a tournament: the pairings of its knock-out stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cardroom_base.core.answers import UNSENT, description
from tournaments.deal_groups import Entrant
from tournaments.models import Tournament
from tournaments.pairing import BracketNode, get_system
from tournaments.reading.entry_names import EntryNames, Player, names_of
from tournaments.reading.standings_tables import Stages, paired_stages

State = Literal["bye", "coming", "playing", "decided"]
"""The state of a pairing; `coming`: it has no deal groups yet."""


@dataclass(frozen=True, slots=True)
class BracketSide:
    """A side of a pairing; until its entrant is known, all fields are null or false."""

    seed: int | None = None
    bot: Player | None = field(
        default=None, metadata=description("The bot, or the team's first bot.")
    )
    name: str | None = field(default=None, metadata=description("Name of the bot or team."))
    points: float | None = field(default=None, metadata=description("Group points of the pairing."))
    difference: float | None = field(
        default=None, metadata=description("Score difference, summed over the deal groups.")
    )
    winner: bool = False
    through: bool = field(
        default=False, metadata=description("Whether the side advances to the next round.")
    )


@dataclass(frozen=True, slots=True)
class BracketPairing:
    """A past or future pairing."""

    name: str = field(metadata=description("Such as `Semifinal 1` or `Losers 2.1`."))
    part: str = field(
        metadata=description("Winners, Losers or Final; empty if there is only one bracket.")
    )
    state: State
    groups: int = field(metadata=description("Deal groups with a finished match."))
    sides: tuple[BracketSide, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bracket of one division of a stage."""

    stage: int
    division: int
    system: str
    columns: list[list[BracketPairing]] = field(
        metadata=description("From the first round to the last.")
    )
    divisions: int = field(metadata=UNSENT)
    """Number of the stage's divisions."""


def has_bracket(tournament: Tournament) -> bool:
    """Whether one of its stages is a knock-out."""
    return any(get_system(stage.system).bracket for stage in tournament.stages.all())


def brackets(tournament: Tournament) -> list[Bracket]:
    """The brackets of the stages that have been paired so far, in the order of the stages."""
    return brackets_from_json(tournament, brackets_json(paired_stages(tournament)))


def brackets_json(stages: Stages) -> list[Any]:
    """The brackets for the cache: stage, number and columns of each division."""
    return [
        [
            division.stage,
            division.number,
            [
                [_pairing_json(node, division.entrants) for node in column]
                for column in division.system.bracket(division.state)
            ],
        ]
        for divisions in stages
        for division in divisions
        if division.system.bracket is not None
    ]


def brackets_from_json(tournament: Tournament, content: list[Any]) -> list[Bracket]:
    """The brackets from the output of `brackets_json`, with the names of their entries."""
    if not content:
        return []
    stages = {stage.number: stage for stage in tournament.stages.all()}
    pairings = [pairing for *_, columns in content for column in columns for pairing in column]
    entrants = {side["entry"] for pairing in pairings for side in pairing["sides"]} - {None}
    names = names_of(tournament, entrants)
    return [
        Bracket(
            stage,
            number,
            stages[stage].system,
            [[_pairing_from_json(pairing, names) for pairing in column] for column in columns],
            stages[stage].divisions,
        )
        for stage, number, columns in content
    ]


def _pairing_from_json(
    pairing: dict[str, Any], names: Mapping[Entrant, EntryNames]
) -> BracketPairing:
    sides = tuple(_side_from_json(names, **side) for side in pairing["sides"])
    return BracketPairing(**{**pairing, "sides": sides})


def _side_from_json(
    names: Mapping[Entrant, EntryNames], entry: Entrant | None, **values: Any
) -> BracketSide:
    """`entry`: None while the entrant is unknown."""
    if entry is None or entry not in names:
        return BracketSide(**values)
    first = names[entry].members[0]
    return BracketSide(**values, bot=Player(first.slug, first.name), name=names[entry].title)


def _pairing_json(node: BracketNode, entrants: Sequence[Entrant]) -> dict[str, Any]:
    return {
        "name": node.name,
        "part": node.part,
        "sides": [_side_json(node, index, entrants) for index in range(len(node.entrants))],
        "groups": node.meeting.groups if node.meeting else 0,
        "state": _state(node),
    }


def _side_json(node: BracketNode, index: int, entrants: Sequence[Entrant]) -> dict[str, Any]:
    entrant = node.entrants[index]
    if entrant is None:
        return {"entry": None}
    meeting = node.meeting
    has_score = meeting is not None and meeting.groups > 0
    return {
        "entry": entrants[entrant],
        "seed": entrant + 1,
        "points": meeting.points[index] if meeting and has_score else None,
        "difference": meeting.differences[index] if meeting and has_score else None,
        "winner": entrant == node.winner,
        "through": entrant in node.through,
    }


def _state(node: BracketNode) -> State:
    if node.bye:
        return "bye"
    if node.winner is not None:
        return "decided"
    return "coming" if node.meeting is None else "playing"
