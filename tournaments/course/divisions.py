"""Compute a division's pairing state and standings from its deal groups. Pure.

`course` combines the divisions of a tournament.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias, TypeVar

from engine import Format
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import Entrant, MatchResult, SideEntrants, group_score, members
from tournaments.pairing import Meeting, Pairing, PairingStep, State, System
from tournaments.standings import DEFAULT, Row, SitOuts, VoidCounts, standings
from tournaments.unplayed import SCORING

T = TypeVar("T")

Slot: TypeAlias = tuple[int, int, int]
"""A deal group's round, pairing and number in the pairing within its division; all from 1."""


@dataclass(frozen=True, slots=True)
class PairedGroup:
    """A deal group that counts, with its finished matches."""

    stage: int
    division: int
    round: int
    pairing: int
    """The number of its pairing in the round. Rounds are numbered within the division; all numbers
    start at 1."""

    sides: tuple[SideEntrants, ...]
    """The sides in the order of the pairing."""

    matches: tuple[MatchResult, ...]
    """Finished matches; empty before the first."""

    open: bool = False
    """Whether some of its matches are still to be played."""

    @property
    def void(self) -> bool:
        return not self.open and not self.matches


@dataclass(frozen=True, slots=True)
class Conditions:
    """Settings that apply to all divisions, and withdrawals."""

    fmt: Format
    seed: str
    plans: tuple[StagePlan, ...] = (StagePlan(),)

    entrants: tuple[Entrant, ...] = ()
    """In the order of their seeds."""

    tie_breaks: tuple[str, ...] = DEFAULT
    rotating: bool = False
    """Whether partners rotate: every seat of the widest side has its own entrant."""

    authors: Mapping[Entrant, frozenset[str | int]] = field(default_factory=dict)
    """The authors of each entrant, if bots of one author are kept apart."""

    withdrawn: frozenset[Entrant] = frozenset()
    """Entrants that have withdrawn and are no longer paired."""

    departures: Mapping[Entrant, tuple[int, int]] = field(default_factory=dict)
    """When each entrant left: (the last stage that had been paired, its number of paired rounds).

    An entrant that left before a stage was paired does not play in it."""

    arrivals: Mapping[Entrant, int] = field(default_factory=dict)
    """The number of rounds of the first stage that were paired before a late entrant came."""

    ratings: Mapping[Entrant, tuple[float, float]] = field(default_factory=dict)
    """(Elo points, half of their 95 % interval), for systems that pair by rating."""

    scoring: int = SCORING
    """The version of the rules for void deal groups (`tournaments.unplayed`)."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of entrants on each side."""
        width = max(map(len, self.fmt.sides)) if self.rotating else 1
        return (width,) * len(self.fmt.sides)


def state_of(
    conditions: Conditions,
    plan: StagePlan,
    place: tuple[int, int],
    entrants: Sequence[Entrant],
    groups: Iterable[PairedGroup],
) -> State:
    """The state of a division for its pairing system.

    `place`: the numbers of stage and division. `entrants`: in the order of their seeds. `groups`:
    the deal groups of the division.
    """
    index = {entrant: i for i, entrant in enumerate(entrants)}
    authors = conditions.authors
    authors_by_index = [
        (i, authors[entrant]) for i, entrant in enumerate(entrants) if entrant in authors
    ]
    ratings = [conditions.ratings[entrant] for entrant in entrants if entrant in conditions.ratings]
    known_ratings = ratings if len(ratings) == len(entrants) else []
    rounds = meetings_by_round(groups, index)
    arrivals = conditions.arrivals if place[0] == 1 else {}
    late_rounds = {index[entrant]: count for entrant, count in arrivals.items() if entrant in index}
    present = frozenset(
        i
        for entrant, i in index.items()
        if entrant not in conditions.withdrawn and late_rounds.get(i, 0) <= len(rounds)
    )
    return State(
        entrants=len(entrants),
        sides=len(conditions.fmt.sides),
        seed="/".join(map(str, (conditions.seed, *seed_suffix(*place)))),
        rounds=rounds,
        settings=plan.settings,
        sizes=conditions.sizes,
        apart=frozenset(
            (i, j)
            for (i, authors_i), (j, authors_j) in combinations(authors_by_index, 2)
            if authors_i & authors_j
        ),
        groups=plan.groups,
        ratings=tuple(rating for rating, _ in known_ratings),
        errors=tuple(error for _, error in known_ratings),
        present=None if len(present) == len(entrants) else present,
        departures={
            index[entrant]: _rounds_until(departure, place[0], len(rounds))
            for entrant, departure in conditions.departures.items()
            if entrant in index
        },
        arrivals=late_rounds,
        scoring=conditions.scoring,
    )


def _rounds_until(departure: tuple[int, int], stage: int, rounds: int) -> int:
    """How many of the stage's `rounds` paired rounds were paired before an entrant left."""
    last_stage, rounds_of_last = departure
    if last_stage == stage:
        return min(rounds_of_last, rounds)
    return rounds if last_stage > stage else 0


def seed_suffix(stage: int, division: int) -> tuple[int, ...]:
    """A suffix of the seed for each stage and division; empty for division 1 of stage 1."""
    return () if stage == division == 1 else (stage, division)


def upcoming(
    step: PairingStep, state: State, groups: Iterable[PairedGroup]
) -> list[tuple[Slot, Pairing]]:
    """The deal groups of a step, in the order of play, each with its entrants.

    `groups`: the division's deal groups so far.
    """
    last = state.before + len(state.rounds)
    if step.more:
        counts = Counter((group.round, group.pairing) for group in groups)
        return [
            ((last, i + 1, 1 + counts[last, i + 1]), state.rounds[-1][i].entrants)
            for i in step.more
        ]
    return [
        ((number, place, group), pairing)
        for number, round_ in enumerate(step.rounds, last + 1)
        for place, pairing in enumerate(round_, 1)
        for group in range(1, state.groups + 1)
    ]


def order_sides(sides: Sequence[T], group: int) -> tuple[T, ...]:
    """The sides of a pairing in the order of its deal group number `group`, from 1.

    Every second group reverses the sides, because rotations alone keep the neighbours of each
    entrant at tables of three sides or more. The function is its own inverse.
    """
    return tuple(sides) if group % 2 else tuple(sides)[::-1]


def result_of_rotation(
    sides: Sequence[SideEntrants],
    rotation: int,
    scores: Sequence[float],
    ranks: Sequence[int],
    faults: Sequence[int],
) -> MatchResult:
    """The result of match number `rotation` of a group (`deal_groups.rotations`)."""
    count = len(sides)
    entrants = tuple(sides[(side - rotation) % count] for side in range(count))
    return MatchResult(entrants, tuple(scores), tuple(ranks), tuple(faults))


def meetings_by_round(
    groups: Iterable[PairedGroup], index: Mapping[Entrant, int]
) -> tuple[tuple[Meeting, ...], ...]:
    """The meetings of each round. An entrant that is not in `index` becomes -1; such a state is
    never paired further."""
    rounds: dict[int, dict[int, list[PairedGroup]]] = {}
    for group in groups:
        rounds.setdefault(group.round, {}).setdefault(group.pairing, []).append(group)
    return tuple(
        tuple(_meeting(rounds[number][pairing], index) for pairing in sorted(rounds[number]))
        for number in sorted(rounds)
    )


def division_rows(
    system: System,
    state: State,
    entrants: Sequence[Entrant],
    groups: Iterable[PairedGroup],
    tie_breaks: Sequence[str],
) -> list[Row]:
    """The standings of a division, best first; `entrants`: by the index in `state`."""
    groups = list(groups)
    groups_with_matches = [group for group in groups if group.matches]
    # Void groups get points only if points decide the places.
    counts_void = system.places is None and state.scoring > 1
    rows = standings(
        entrants,
        [group.matches for group in groups_with_matches],
        tie_breaks,
        meetings=[(group.round, group.pairing) for group in groups_with_matches],
        sit_outs=_sit_outs(system, state, entrants),
        void=_void_counts(groups) if counts_void else {},
        scoring=state.scoring,
    )
    if system.places is None or state.entrants < state.seats:
        return rows
    by_entrant = {row.entrant: row for row in rows}
    placed_rows: list[Row] = []
    for level in system.places(state):
        place = 1 + len(placed_rows)
        placed_rows += [replace(by_entrant[entrants[i]], place=place) for i in level]
    return placed_rows


def merge_rows(stages: Sequence[Sequence[Sequence[Row]]]) -> list[Row]:
    """Merge standings, given as `stages[stage][division]`, into those of the tournament."""
    last_row = {row.entrant: row for divisions in stages for rows in divisions for row in rows}
    places = [[[(row.place, row.entrant) for row in rows] for rows in stage] for stage in stages]
    rows: list[Row] = []
    for level in merge_places(places):
        place = 1 + len(rows)
        rows += [replace(last_row[entrant], place=place) for entrant in level]
    return rows


def merge_places(stages: Sequence[Sequence[Sequence[tuple[int, T]]]]) -> list[list[T]]:
    """The entrants that share each final place, best first, from the places in each division.

    Entries of a later stage rank above all others. Equal places of different divisions are shared.
    """
    levels: list[list[T]] = []
    placed: set[T] = set()
    for divisions in reversed(stages):
        by_place: dict[int, list[T]] = {}
        for place, entrant in (row for places in divisions for row in places):
            if entrant not in placed:
                by_place.setdefault(place, []).append(entrant)
        levels += [by_place[place] for place in sorted(by_place)]
        placed.update(entrant for level in by_place.values() for entrant in level)
    return levels


def _meeting(groups: Sequence[PairedGroup], index: Mapping[Entrant, int]) -> Meeting:
    sides = groups[0].sides
    scores = [group_score(group.matches) for group in groups if group.matches]
    points = dict.fromkeys(sides, 0.0)
    differences = dict.fromkeys(sides, 0.0)
    for score in scores:
        for side, gained, margin in zip(
            score.entrants, score.points, score.differences, strict=True
        ):
            points[side] += gained
            differences[side] += margin
    return Meeting(
        entrants=tuple(index.get(entrant, -1) for side in sides for entrant in members(side)),
        points=tuple(round(points[side], 9) for side in sides) if scores else (),
        differences=tuple(round(differences[side], 9) for side in sides) if scores else (),
        groups=len(scores),
        void=sum(group.void for group in groups),
        open=any(group.open for group in groups),
    )


def _sit_outs(system: System, state: State, entrants: Sequence[Entrant]) -> dict[Entrant, SitOuts]:
    """Each entrant's byes, if the system awards points for them."""
    if system.byes is None:
        return {}
    missed_rounds = [len(state.rounds)] * len(entrants)
    for round_ in state.rounds:
        for i in {i for meeting in round_ for i in meeting.entrants if i >= 0}:
            missed_rounds[i] -= 1
    points = system.byes(state)
    return {
        entrant: SitOuts(missed_rounds[i], points[i], state.groups)
        for i, entrant in enumerate(entrants)
        if missed_rounds[i]
    }


def _void_counts(groups: Iterable[PairedGroup]) -> dict[Entrant, VoidCounts]:
    """Each entrant's numbers of void deal groups and void pairings, if it has any."""
    pairings: dict[tuple[int, int], list[PairedGroup]] = {}
    for group in groups:
        pairings.setdefault((group.round, group.pairing), []).append(group)
    counts: Counter[Entrant] = Counter()
    void_pairings: Counter[Entrant] = Counter()
    for pairing in pairings.values():
        entrants = {entrant for side in pairing[0].sides for entrant in members(side)}
        void_groups = sum(group.void for group in pairing)
        for entrant in entrants:
            counts[entrant] += void_groups
            void_pairings[entrant] += void_groups == len(pairing)
    return {
        entrant: VoidCounts(count, void_pairings[entrant])
        for entrant, count in counts.items()
        if count
    }
