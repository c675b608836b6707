"""The story of a tournament: the facts that its page shows beside the tables, cached like them.

The story contains no text, and refers to entries by their primary keys, so that a bot's new name
appears immediately. `cardroom.pages.tournaments.overview` turns the story into sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from statistics import fmean
from typing import Any, Final

from django.db.models import Count, Max, Q, Sum

from tournaments.course.course import Division
from tournaments.course.rounds import (
    EntrantOutcome,
    Letter,
    PairingResult,
    RoundNumber,
    outcomes,
    pairing_results,
    rows_before_last_round,
)
from tournaments.course.upsets import PastRating, Upset, upsets
from tournaments.deal_groups import Entrant
from tournaments.models import Match, PoolFit, RatingPoint, SideResult, Tournament
from tournaments.pairing import swiss
from tournaments.projections.live_elo import pools_of
from tournaments.reading.brackets import brackets_json
from tournaments.reading.decider import Decider, find_decider
from tournaments.reading.ratings import forms_of
from tournaments.reading.standings_tables import Stages, paired_stages, standings_of
from tournaments.standings import Row

MAX_LINES: Final = 32
"""Maximum number of entries, from the top, whose rounds the story includes."""
MAX_IN_BRACKET: Final = 32
"""Maximum entries of a knock-out whose bracket the story includes."""
MAX_ROUNDS: Final = 9
"""Maximum number of rounds in the story: the last ones."""
MAX_UPSETS: Final = 4
THIRD_PLACE: Final = "Third place"
"""The only node of a bracket from which an entrant can no longer win."""
MAX_SEARCHED: Final = 300
"""Maximum matches of the last day of play that are searched for highlights."""


@dataclass(frozen=True, slots=True)
class StoryCell:
    """A round of an entry."""

    letter: Letter
    opponents: list[int]
    against: list[int]
    """The present places of the opponents."""
    points: float
    best: float
    """The most points of another side."""
    open: bool
    partners: list[int] = field(default_factory=list)
    """Its partners, if partners rotate."""


@dataclass(frozen=True, slots=True)
class StoryLine:
    """An entry, round by round."""

    entrant: int
    place: int
    before: int | None
    """Its place before the last round; None if it had none."""
    stage: int
    """The stage that decides its place; `points` and `groups` count this stage."""
    points: float
    groups: int
    won: int
    drawn: int
    lost: int
    """`won`, `drawn`, `lost`: finished pairings of all rounds."""
    cells: list[StoryCell | None]
    """A cell for each of the story's rounds; None: it sat out or was eliminated."""
    tie_breaks: list[float | None] = field(default_factory=list)
    """The values of the tie-breaks, in the tournament's order."""


@dataclass(frozen=True, slots=True)
class NotableMatch:
    """A highlight."""

    match: int
    kind: str
    """`closest`, `widest` or `longest`."""


@dataclass(frozen=True, slots=True)
class Story:
    """The story of a tournament."""

    places: list[tuple[int, int]]
    """(place, entry) for the first three places; several entries may share one."""
    rounds: list[RoundNumber] = field(default_factory=list)
    stages: int = 1
    """Number of stages, including future ones."""
    planned: list[int] = field(default_factory=list)
    """Number of rounds in each stage, or of the rounds paired so far if it is not known."""
    left: list[int] = field(default_factory=list)
    """In a knock-out: entries that can still win it, in the order of the standings."""
    lines: list[StoryLine] = field(default_factory=list)
    left_out: int = 0
    """Entries below the last line."""
    brackets: list[Any] = field(default_factory=list)
    """As `brackets.brackets_json` returns them; empty for more than `MAX_IN_BRACKET` entries."""
    upsets: list[Upset] = field(default_factory=list)
    highlights: list[NotableMatch] = field(default_factory=list)
    ahead: int | None = None
    """On a ladder: the first entry's lead over the second in rating points; None before both have
    played."""
    decider: Decider | None = None
    """The deciding match of a finished tournament with one champion."""
    matches: int = 0
    moves: int = 0
    faults: int = 0
    """`matches`, `moves`, `faults`: finished matches, their moves, and those with a fault."""

    @property
    def champion(self) -> int | None:
        """The entry that holds the first place alone, if any."""
        first = [entrant for place, entrant in self.places if place == 1]
        return first[0] if len(first) == 1 else None


def make_story(tournament: Tournament) -> dict[str, Any]:
    """Compute the story, as JSON for the cache."""
    stages = paired_stages(tournament)
    rows = standings_of(tournament, stages)
    places = [(row.place, _key(row.entrant)) for row in rows if row.place <= 3][:MAX_LINES]
    count = tournament.stages.count()
    highlights = _highlights(tournament)
    story = Story(places, stages=count, highlights=highlights, **_counts(tournament))
    content = asdict(story)
    if tournament.started is None:
        return content
    if tournament.endless:
        return content | {"ahead": _lead(stages, rows)}
    pairings = pairing_results(stages)
    content |= _round_by_round(stages, rows, pairings)
    content["brackets"] = brackets_json(stages) if len(rows) <= MAX_IN_BRACKET else []
    content["upsets"] = [asdict(upset) for upset in _upsets(tournament, pairings)]
    if tournament.state == Tournament.State.FINISHED and story.champion is not None:
        decider = find_decider(tournament, story.champion)
        content["decider"] = decider and asdict(decider)
    return content


def _lead(stages: Stages, rows: list[Row]) -> int | None:
    """The first entry's lead over the second of a ladder, in rating points."""
    if not stages or len(rows) < 2 or not all(row.groups for row in rows[:2]):
        return None
    ((ladder,),) = stages
    ratings = dict(zip(ladder.entrants, ladder.state.ratings, strict=True))
    first, second = (ratings[row.entrant] for row in rows[:2])
    return round(first - second)


def load_story(content: dict[str, Any]) -> Story:
    """The story from its cached JSON."""
    lines = [
        StoryLine(**{**line, "cells": [cell and StoryCell(**cell) for cell in line["cells"]]})
        for line in content["lines"]
    ]
    fields = {
        "places": [(place, entrant) for place, entrant in content["places"]],
        "rounds": [RoundNumber(*item) for item in content["rounds"]],
        "lines": lines,
        "upsets": [_upset(item) for item in content["upsets"]],
        "highlights": [NotableMatch(**item) for item in content["highlights"]],
        "decider": Decider(**content["decider"]) if content["decider"] else None,
    }
    return Story(**{**content, **fields})


def _upset(content: dict[str, Any]) -> Upset:
    sides = {side: tuple(content[side]) for side in ("weaker", "stronger")}
    return Upset(**{**content, **sides, "round": RoundNumber(*content["round"])})


def _key(entrant: Entrant) -> int:
    return int(entrant)


# --- rounds -------------------------------------------------------------------------------------


def _round_by_round(
    stages: Stages, rows: list[Row], pairings: list[PairingResult]
) -> dict[str, Any]:
    rounds = sorted({pairing.round for pairing in pairings})[-MAX_ROUNDS:]
    earlier_places = {row.entrant: row.place for row in rows_before_last_round(stages)}
    by_entrant = outcomes(pairings)
    places = {row.entrant: row.place for row in rows}
    lines = []
    for row in rows[:MAX_LINES]:
        entrant_outcomes = by_entrant.get(row.entrant, [])
        by_round = {outcome.round: _cell(outcome, places) for outcome in entrant_outcomes}
        cells = [by_round.get(number) for number in rounds]
        lines.append(_line(row, earlier_places.get(row.entrant), entrant_outcomes, cells))
    undecided = _undecided_entrants(stages[-1]) if stages else set()
    return {
        "rounds": rounds,
        "planned": [max(map(_planned, divisions)) for divisions in stages],
        "left": [row.entrant for row in rows if row.entrant in undecided],
        "lines": [asdict(line) for line in lines],
        "left_out": len(rows) - len(lines),
    }


def _line(
    row: Row,
    earlier_place: int | None,
    entrant_outcomes: list[EntrantOutcome],
    cells: list[StoryCell | None],
) -> StoryLine:
    finished_letters = [outcome.letter for outcome in entrant_outcomes if not outcome.open]
    return StoryLine(
        entrant=_key(row.entrant),
        place=row.place,
        before=earlier_place,
        stage=row.stage,
        points=row.points,
        groups=row.groups,
        won=finished_letters.count("W"),
        drawn=finished_letters.count("D"),
        lost=finished_letters.count("L"),
        cells=cells,
        tie_breaks=list(row.tie_breaks),
    )


def _cell(outcome: EntrantOutcome, places: Mapping[Entrant, int]) -> StoryCell:
    return StoryCell(
        outcome.letter,
        [_key(opponent) for opponent in outcome.opponents],
        [places[opponent] for opponent in outcome.opponents],
        outcome.points,
        outcome.best,
        outcome.open,
        [_key(partner) for partner in outcome.partners],
    )


def _planned(division: Division) -> int:
    """Number of rounds of a division, as far as known."""
    if division.system.bracket is not None:
        return len(division.system.bracket(division.state))
    if division.system.name == "swiss":
        return swiss.round_count(division.state)
    return len(division.state.rounds)


def _undecided_entrants(divisions: list[Division]) -> set[Entrant]:
    """Entrants with an undecided pairing in the bracket, except the one for third place."""
    return {
        division.entrants[index]
        for division in divisions
        if division.system.bracket is not None
        for column in division.system.bracket(division.state)
        for node in column
        if node.winner is None and node.name != THIRD_PLACE
        for index in node.entrants
        if index is not None
    }


# --- ratings ------------------------------------------------------------------------------------


def _upsets(tournament: Tournament, pairings: list[PairingResult]) -> list[Upset]:
    """Upsets by the fitted ratings at the start.

    The live Elo is not used: in the first matches of a bot it is hardly more than a guess.
    """
    fit = PoolFit.objects.filter(pool=pools_of(tournament.format)[0]).defer("covariance").first()
    forms = forms_of(fit) if fit else []
    slope = next((form.slope for form in forms if form.name == tournament.format), 1.0)
    return upsets(pairings, _past_ratings(tournament), MAX_UPSETS, slope)


def _past_ratings(tournament: Tournament) -> dict[Entrant, PastRating]:
    """The fitted ratings of entries when the tournament started; a team has its members' mean."""
    entries = list(tournament.entries.with_members())
    versions = {entry.pk: [version.pk for _, version in entry.members()] for entry in entries}
    points = RatingPoint.objects.filter(
        pool=pools_of(tournament.format)[0],
        version__in={version for team in versions.values() for version in team},
        at__lt=tournament.started,
    ).order_by("ordinal")
    by_version = {
        version: PastRating(fitted, component)
        for version, fitted, component in points.values_list("version", "fitted", "component")
    }
    ratings: dict[Entrant, PastRating] = {}
    for entry, team in versions.items():
        rows = [by_version[version] for version in team if version in by_version]
        if len(rows) == len(team) and len({row.component for row in rows}) == 1:
            ratings[entry] = PastRating(fmean(row.points for row in rows), rows[0].component)
    return ratings


# --- matches ------------------------------------------------------------------------------------


def _counts(tournament: Tournament) -> dict[str, Any]:
    finished = tournament.matches.filter(state=Match.State.FINISHED)
    counts = finished.aggregate(
        matches=Count("pk"),
        moves=Sum("moves_played", default=0),
        faults=Count("pk", filter=Q(faulted=True)),
    )
    return {name: int(value) for name, value in counts.items()}


def _highlights(tournament: Tournament) -> list[NotableMatch]:
    """The closest, the widest and the longest match of the last day of play, without faults."""
    finished = tournament.matches.filter(state=Match.State.FINISHED, faulted=False)
    last_end = finished.aggregate(last=Max("finished"))["last"]
    if last_end is None:
        return []
    day_matches = finished.filter(finished__gt=last_end - timedelta(days=1)).order_by(
        "-finished", "-pk"
    )
    moves = dict(day_matches.values_list("pk", "moves_played")[:MAX_SEARCHED])
    scores: dict[int, list[int]] = {}
    for match, score in SideResult.objects.filter(match__in=moves).values_list("match", "score"):
        scores.setdefault(match, []).append(score)
    return highlights(moves, scores)


def highlights(moves: dict[int, int], scores: dict[int, list[int]]) -> list[NotableMatch]:
    """One match of each kind, all different; none for fewer than four matches. Pure.

    `moves`, `scores`: by primary key of the match.
    """
    if len(scores) < 4:
        return []
    margins = {match: _margin(row) for match, row in scores.items()}
    sort_keys: tuple[tuple[str, Callable[[int], tuple[int, int]]], ...] = (
        ("closest", lambda match: (-margins[match], moves[match])),
        ("widest", lambda match: (margins[match], -moves[match])),
        ("longest", lambda match: (moves[match], -margins[match])),
    )
    kinds: dict[int, str] = {}
    for kind, sort_key in sort_keys:
        kinds[max(sorted(margins.keys() - kinds), key=sort_key)] = kind
    return [NotableMatch(match, kind) for match, kind in kinds.items()]


def _margin(scores: list[int]) -> int:
    first, second = sorted(scores, reverse=True)[:2]
    return first - second
