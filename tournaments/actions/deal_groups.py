"""Create deal groups with their matches and seats, in bulk.

Creating 100,000 matches takes a minute or more. So `create_groups` creates only the first of many
rounds and stores the plan of the others; `create_planned` creates these piece by piece.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TypeAlias

from django.db.models import Avg, F, Max

from bots.models import BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db import database
from cardroom_base.db.outbox import announce_many
from engine import Format
from engine.shuffle import commitment
from tournaments.course.course import Division
from tournaments.course.divisions import Slot, order_sides, seed_suffix
from tournaments.deal_groups import group_seed, random_seed, seatings
from tournaments.models import (
    DealGroup,
    DealGroupSide,
    Entry,
    Match,
    PlannedGroups,
    Seat,
    Stage,
    Tournament,
)
from tournaments.pairing import Pairing, RatingSystem
from tournaments.queue.task_names import PLAY_TASK

MAX_MATCHES = 100_000
"""Maximum number of matches that one step of a tournament may create."""
PIECE = 1000
"""Maximum number of matches that one transaction creates, unless one round has more."""
URGENT = 2
"""Added to the priority of a newcomer's matches, up to `MAX_PRIORITY`."""
MAX_PRIORITY = 9
MAX_MESSAGES = 64
"""Maximum number of messages to workers in a step; a worker that gets one plays while matches
wait."""
BATCH = 500

Teams: TypeAlias = tuple[tuple[int, ...], ...]
"""Primary keys of the entries of each side, in the order of the pairing."""
PlacedTeams: TypeAlias = tuple[Slot, Teams]
"""The slot and the sides of a deal group to be created."""
Seating: TypeAlias = list[tuple[Entry, BotVersion]]
"""The seats of a match in their order."""


@dataclass(frozen=True, slots=True)
class MatchFailures:
    """Failures of a match; the fields are those of `Match`."""

    failures: int = 0
    failed_on: Sequence[str] = ()
    not_before: datetime | None = None


NEVER_FAILED = MatchFailures()


@dataclass(frozen=True, slots=True)
class RedealtGroup:
    """A redealt group; its replacement gets its priority, failures, unlucky versions and seats."""

    deal_group: DealGroup
    priority: int
    failed: MatchFailures = NEVER_FAILED
    unlucky: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class _GroupPlan:
    """A deal group to be created, with the entries of each side."""

    deal_group: DealGroup
    teams: tuple[list[Entry], ...]
    priority: int
    """The priority of its matches."""
    redealt: RedealtGroup | None


@dataclass(frozen=True, slots=True)
class _Planner:
    """Plans the deal groups of one division."""

    tournament: Tournament
    stage: Stage
    division: int
    entries: Mapping[int, Entry]
    """The division's entries by primary key."""
    retired: Mapping[Slot, tuple[str, int]]
    """By slot: ("again", number of retired deal groups); empty unless the seed was chosen."""
    urgent: frozenset[int] = frozenset()
    """Entries whose matches have priority."""

    @classmethod
    def for_division(cls, tournament: Tournament, division: Division) -> _Planner:
        stage = tournament.stages.get(number=division.stage)
        urgent: frozenset[int] = frozenset()
        if isinstance(division.system, RatingSystem):
            newcomers = division.system.newcomers(division.state)
            urgent = frozenset(int(division.entrants[i]) for i in newcomers)
        entries = [int(entrant) for entrant in division.entrants]
        return cls.for_entries(tournament, stage, division.number, entries, urgent)

    @classmethod
    def for_entries(
        cls,
        tournament: Tournament,
        stage: Stage,
        division: int,
        entries: Iterable[int],
        urgent: frozenset[int] = frozenset(),
    ) -> _Planner:
        """A planner for these entries, by their primary keys."""
        by_key = Entry.objects.with_members().in_bulk(list(entries))
        # Drawn seeds do not depend on retired groups.
        retired = _retired_counts(stage, division) if tournament.chosen_seed else {}
        return cls(tournament, stage, division, by_key, retired, urgent)

    def plan(
        self, number: int, slot: Slot, teams: Teams, redealt: RedealtGroup | None
    ) -> _GroupPlan:
        """The deal group in this slot between these teams. `number`: within the tournament."""
        round_, pairing, group = slot
        seed = self._seed(slot)
        deal_group = DealGroup(
            tournament=self.tournament,
            stage=self.stage,
            division=self.division,
            round=round_,
            pairing=pairing,
            group=group,
            number=number,
            seed=seed,
            commitment=commitment(seed),
        )
        if redealt:
            deal_group.instead_of, deal_group.unlucky = redealt.deal_group, list(redealt.unlucky)
        sides = [[self.entries[key] for key in team] for team in teams]
        priority = redealt.priority if redealt else self._priority(teams)
        return _GroupPlan(deal_group, order_sides(sides, group), priority, redealt)

    def _seed(self, slot: Slot) -> str:
        if not self.tournament.chosen_seed:
            return random_seed()
        suffix = seed_suffix(self.stage.number, self.division)
        return group_seed(self.tournament.seed, *suffix, *slot, *self.retired.get(slot, ()))

    def _priority(self, teams: Teams) -> int:
        default = self.tournament.priority
        if all(self.urgent.isdisjoint(team) for team in teams):
            return default
        return max(default, min(MAX_PRIORITY, default + URGENT))


def create_groups(
    tournament: Tournament,
    division: Division,
    slots: Sequence[tuple[Slot, Pairing]],
    redealt: Mapping[Slot, RedealtGroup] | None = None,
) -> list[DealGroup]:
    """Create deal groups of a division with all their matches, and wake the workers.

    Of many rounds, only the first are created and returned; the others are planned. `redealt`: by
    slot, the retired group that the new one replaces.
    """
    if not slots:
        return []
    sides = len(Format.parse(tournament.format).sides)
    refuse_too_many(len(slots) * sides)
    planner = _Planner.for_division(tournament, division)
    places = [(slot, _teams(division, entrants)) for slot, entrants in slots]
    by_rating = division.system.by_rating  # a ladder does not wait for the end of a round
    first_piece, *later_pieces = [places] if redealt or by_rating else _pieces(places, sides)
    _store_plan(planner, later_pieces, sides)
    planned = _create_with_matches(planner, first_piece, redealt or {}, slowest_first=not by_rating)
    if by_rating:
        _count_groups([plan for plan in planned if plan.redealt is None])
    announce_many(PLAY_TASK, [{}] * min(len(planned), MAX_MESSAGES))
    return [plan.deal_group for plan in planned]


def create_planned(tournament: Tournament) -> bool:
    """Create the next planned deal groups; return whether there were any.

    The caller has locked the tournament. If the transaction fails, the plan stays.
    """
    piece = tournament.planned.order_by("pk").first()
    if piece is None:
        return False
    places: list[PlacedTeams] = [
        ((round_, pairing, group), tuple(tuple(team) for team in teams))
        for round_, pairing, group, teams in piece.slots
    ]
    entries = {key for _, teams in places for team in teams for key in team}
    planner = _Planner.for_entries(tournament, piece.stage, piece.division, entries)
    with database.long_timeouts():  # one round may be large
        _create_with_matches(planner, places, {}, slowest_first=True)
    piece.delete()
    announce_many(PLAY_TASK, [{}])
    return True


def _teams(division: Division, entrants: Pairing) -> Teams:
    teams = division.state.teams(entrants)
    return tuple(tuple(int(division.entrants[i]) for i in team) for team in teams)


def _pieces(places: Sequence[PlacedTeams], sides: int) -> list[list[PlacedTeams]]:
    """Deal groups for one transaction each: whole rounds, because pages and archives show them.

    `sides`: also the matches of each deal group.
    """
    pieces: list[list[PlacedTeams]] = []
    for _, round_ in groupby(places, key=lambda place: place[0][0]):
        groups = list(round_)
        if pieces and (len(pieces[-1]) + len(groups)) * sides <= PIECE:
            pieces[-1] += groups
        else:
            pieces.append(groups)
    return pieces


def _store_plan(planner: _Planner, pieces: Iterable[Sequence[PlacedTeams]], sides: int) -> None:
    """Store deal groups for `create_planned`."""
    PlannedGroups.objects.bulk_create(
        PlannedGroups(
            tournament=planner.tournament,
            stage=planner.stage,
            division=planner.division,
            slots=[(*slot, teams) for slot, teams in piece],
            matches=len(piece) * sides,
        )
        for piece in pieces
    )


def _create_with_matches(
    planner: _Planner,
    places: Sequence[PlacedTeams],
    redealt: Mapping[Slot, RedealtGroup],
    *,
    slowest_first: bool,
) -> Sequence[_GroupPlan]:
    """Create deal groups with their matches."""
    tournament = planner.tournament
    first_number = (tournament.deal_groups.aggregate(last=Max("number"))["last"] or 0) + 1
    plans = [
        planner.plan(number, slot, teams, redealt.get(slot))
        for number, (slot, teams) in enumerate(places, first_number)
    ]
    DealGroup.objects.bulk_create([plan.deal_group for plan in plans], batch_size=BATCH)
    DealGroupSide.objects.bulk_create(
        (
            DealGroupSide(deal_group=plan.deal_group, index=index, place=place, entry=entry)
            for plan in plans
            for index, team in enumerate(plan.teams)
            for place, entry in enumerate(team)
        ),
        batch_size=BATCH,
    )
    fmt = Format.parse(tournament.format)
    _create_matches(tournament, fmt, _slowest_first(plans) if slowest_first else plans)
    return plans


def _count_groups(plans: Sequence[_GroupPlan]) -> None:
    """Add to the number of deal groups assigned to each entry."""
    counts = Counter(entry.pk for plan in plans for team in plan.teams for entry in team)
    by_number: dict[int, list[int]] = {}
    for entry, number in counts.items():
        by_number.setdefault(number, []).append(entry)
    for number, entries in by_number.items():
        Entry.objects.filter(pk__in=entries).update(groups=F("groups") + number)


def refuse_too_many(matches: int) -> None:
    """ActionError for more than `MAX_MATCHES` matches."""
    if matches > MAX_MATCHES:
        raise ActionError(
            f"That would be {matches:,} matches; at most {MAX_MATCHES:,} are allowed. "
            "Choose fewer deal groups, or admit fewer bots.",
            "conflict",
        )


def _retired_counts(stage: Stage, division: int) -> dict[Slot, tuple[str, int]]:
    """By slot: ("again", number of retired groups), so that a replacement gets another seed."""
    rows = DealGroup.objects.filter(
        stage=stage, division=division, retired__isnull=False
    ).values_list("round", "pairing", "group")
    counts: dict[Slot, tuple[str, int]] = {}
    for key in rows:
        counts[key] = ("again", counts.get(key, ("", 0))[1] + 1)
    return counts


def _slowest_first(plans: Sequence[_GroupPlan]) -> Sequence[_GroupPlan]:
    """The deal groups of one round in the order of playing, by their bots' times in the last round.

    Otherwise a round would often end with one slow match, for which all other workers wait.
    """
    rounds = {(plan.deal_group.stage_id, plan.deal_group.round) for plan in plans}
    if len(rounds) > 1:
        return plans
    [(stage, number)] = rounds
    seats = Seat.objects.filter(
        match__deal_group__stage=stage, match__deal_group__round=number - 1, wall_ms__isnull=False
    )
    times: dict[int, float] = dict(
        seats.order_by().values_list("version").annotate(mean=Avg("wall_ms"))
    )

    def expected_ms(plan: _GroupPlan) -> float:
        entries = [entry for team in plan.teams for entry in team]
        versions = [version.pk for entry in entries for _, version in entry.members()]
        return sum(times.get(version, 0.0) for version in versions)

    return sorted(plans, key=expected_ms, reverse=True)


def _create_matches(tournament: Tournament, fmt: Format, plans: Sequence[_GroupPlan]) -> None:
    side_of = {seat: side for side, seats in enumerate(fmt.sides) for seat in seats}
    max_seats = max(map(len, fmt.sides))
    matches: list[Match] = []
    seats: list[tuple[Match, int, Entry, BotVersion]] = []
    seatings_by_group = _existing_seatings(
        plan.redealt.deal_group for plan in plans if plan.redealt
    )
    for plan in plans:
        teams = [_seated_bots(team, max_seats) for team in plan.teams]
        group = seatings(fmt.sides, teams, plan.deal_group.group - 1)
        if plan.redealt:
            group = [tuple(seating) for seating in seatings_by_group[plan.redealt.deal_group.pk]]
        failures = plan.redealt.failed if plan.redealt else NEVER_FAILED
        for rotation, seating in enumerate(group):
            match = Match(
                deal_group=plan.deal_group,
                tournament=tournament,
                rotation=rotation,
                format=tournament.format,
                rng="" if tournament.chosen_seed else random_seed(),
                priority=plan.priority,
                failures=failures.failures,
                failed_on=list(failures.failed_on),
                not_before=failures.not_before,
            )
            matches.append(match)
            seats.extend((match, seat, *player) for seat, player in enumerate(seating))
    Match.objects.bulk_create(matches, batch_size=BATCH)
    Seat.objects.bulk_create(
        (
            Seat(match=match, index=index, side=side_of[index], entry=entry, version=version)
            for match, index, entry, version in seats
        ),
        batch_size=BATCH,
    )


def _existing_seatings(deal_groups: Iterable[DealGroup]) -> dict[int, list[Seating]]:
    """The seatings of these deal groups, by rotation."""
    by_group: dict[int, list[Seating]] = {}
    seats = Seat.objects.filter(match__deal_group__in=list(deal_groups)).defer("log")
    seats = seats.select_related("match", "entry", "version")
    for seat in seats.order_by("match__deal_group", "match__rotation", "index"):
        rotations = by_group.setdefault(seat.match.deal_group_id, [])
        if seat.match.rotation == len(rotations):
            rotations.append([])
        rotations[seat.match.rotation].append((seat.entry, seat.version))
    return by_group


def _seated_bots(team: Sequence[Entry], max_seats: int) -> Seating:
    """The bots for a side's seats: all bots of its entry, or one bot of each of its entries."""
    bots = [(entry, version) for entry in team for _, version in entry.members()]
    return bots if len(bots) == 1 else bots[:max_seats]
