"""Create deal groups with their matches and seats, in bulk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from django.db.models import Avg, F, Max

from bots.models import BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.outbox import announce_many
from engine import Format
from engine.shuffle import commitment
from tournaments.course.course import Division
from tournaments.course.divisions import Slot, listed, salt
from tournaments.deal_groups import drawn_seed, group_seed, seatings
from tournaments.models import DealGroup, DealGroupSide, Entry, Match, Seat, Stage, Tournament
from tournaments.pairing import Pairing, RatingSystem
from tournaments.queue.messages import PLAY_TASK

MAX_MATCHES = 100_000
"""Matches that one step of a tournament may create."""
URGENT = 2
"""Added to the priority of a newcomer's matches, up to `MAX_PRIORITY`."""
MAX_PRIORITY = 9
MAX_MESSAGES = 64
"""Wake-ups per step; a woken worker continues while matches wait."""
BATCH = 500

Seating: TypeAlias = list[tuple[Entry, BotVersion]]
"""The seats of a match in their order."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Failures of a match; the fields are those of `Match`."""

    failures: int = 0
    failed_on: Sequence[str] = ()
    not_before: datetime | None = None


NEVER_FAILED = Failed()


@dataclass(frozen=True, slots=True)
class Before:
    """A redealt group, whose replacement gets its priority, failures and unlucky versions.

    The replacement also gets its seats and their versions.
    """

    deal_group: DealGroup
    priority: int
    failed: Failed = NEVER_FAILED
    unlucky: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class _Planned:
    """A deal group to be created, with the entries of each side."""

    deal_group: DealGroup
    teams: tuple[list[Entry], ...]
    priority: int
    """The priority of its matches."""
    before: Before | None


@dataclass(frozen=True, slots=True)
class _Planner:
    """Plans the deal groups of one division."""

    tournament: Tournament
    stage: Stage
    division: Division
    entries: Mapping[int, Entry]
    """The division's entries by primary key."""
    retired: Mapping[Slot, tuple[str, int]]
    """The number of retired deal groups in a slot, if the tournament has a chosen seed."""
    urgent: frozenset[int]
    """Entrants whose matches have priority."""

    @classmethod
    def of(cls, tournament: Tournament, division: Division) -> _Planner:
        stage = tournament.stages.get(number=division.stage)
        entries = Entry.objects.with_members().in_bulk(division.entrants)
        # Drawn seeds do not depend on retired groups.
        retired = _retired(stage, division) if tournament.chosen_seed else {}
        urgent: frozenset[int] = frozenset()
        if isinstance(division.system, RatingSystem):
            urgent = division.system.newcomers(division.state)
        return cls(tournament, stage, division, entries, retired, urgent)

    def plan(self, number: int, slot: Slot, entrants: Pairing, before: Before | None) -> _Planned:
        """The deal group in this slot between these entrants. `number`: within the tournament."""
        round_, pairing, group = slot
        seed = self._seed(slot)
        deal_group = DealGroup(
            tournament=self.tournament,
            stage=self.stage,
            division=self.division.number,
            round=round_,
            pairing=pairing,
            group=group,
            number=number,
            seed=seed,
            commitment=commitment(seed),
        )
        if before:
            deal_group.instead_of, deal_group.unlucky = before.deal_group, list(before.unlucky)
        teams = [
            [self.entries[int(self.division.entrants[i])] for i in team]
            for team in self.division.state.teams(entrants)
        ]
        priority = before.priority if before else self._priority(entrants)
        return _Planned(deal_group, listed(teams, group), priority, before)

    def _seed(self, slot: Slot) -> str:
        if not self.tournament.chosen_seed:
            return drawn_seed()
        suffix = salt(self.division.stage, self.division.number)
        return group_seed(self.tournament.seed, *suffix, *slot, *self.retired.get(slot, ()))

    def _priority(self, entrants: Pairing) -> int:
        usual = self.tournament.priority
        if self.urgent.isdisjoint(entrants):
            return usual
        return max(usual, min(MAX_PRIORITY, usual + URGENT))


def create_groups(
    tournament: Tournament,
    division: Division,
    slots: Sequence[tuple[Slot, Pairing]],
    before: Mapping[Slot, Before] | None = None,
) -> list[DealGroup]:
    """Create deal groups of a division with all their matches, and wake the workers.

    `before`: the retired groups that some of these replace.
    """
    if not slots:
        return []
    before = before or {}
    fmt = Format.parse(tournament.format)
    _refuse_too_many(len(slots) * len(fmt.sides))
    planner = _Planner.of(tournament, division)
    first = (tournament.deal_groups.aggregate(last=Max("number"))["last"] or 0) + 1
    planned = [
        planner.plan(number, slot, entrants, before.get(slot))
        for number, (slot, entrants) in enumerate(slots, first)
    ]
    created = DealGroup.objects.bulk_create([plan.deal_group for plan in planned], batch_size=BATCH)
    DealGroupSide.objects.bulk_create(
        (
            DealGroupSide(deal_group=plan.deal_group, index=index, place=place, entry=entry)
            for plan in planned
            for index, team in enumerate(plan.teams)
            for place, entry in enumerate(team)
        ),
        batch_size=BATCH,
    )
    by_rating = division.system.by_rating  # such a ladder has no ends of rounds
    _create_matches(tournament, fmt, planned if by_rating else _slowest_first(planned))
    if by_rating:
        _count_groups([plan for plan in planned if plan.before is None])
    announce_many(PLAY_TASK, [{}] * min(len(planned), MAX_MESSAGES))
    return created


def _count_groups(planned: Sequence[_Planned]) -> None:
    """Add to the number of deal groups assigned to each entry."""
    counts = Counter(entry.pk for plan in planned for team in plan.teams for entry in team)
    by_number: dict[int, list[int]] = {}
    for entry, number in counts.items():
        by_number.setdefault(number, []).append(entry)
    for number, entries in by_number.items():
        Entry.objects.filter(pk__in=entries).update(groups=F("groups") + number)


def _refuse_too_many(matches: int) -> None:
    """ActionError for more than `MAX_MATCHES` matches."""
    if matches > MAX_MATCHES:
        raise ActionError(
            f"That would be {matches:,} matches; at most {MAX_MATCHES:,} are allowed. "
            "Choose fewer deal groups, or admit fewer bots.",
            "conflict",
        )


def _retired(stage: Stage, division: Division) -> dict[Slot, tuple[str, int]]:
    """By slot: ("again", number of retired groups), so that a replacement gets another seed."""
    rows = DealGroup.objects.filter(
        stage=stage, division=division.number, retired__isnull=False
    ).values_list("round", "pairing", "group")
    counts: dict[Slot, tuple[str, int]] = {}
    for key in rows:
        counts[key] = ("again", counts.get(key, ("", 0))[1] + 1)
    return counts


def _slowest_first(planned: Sequence[_Planned]) -> Sequence[_Planned]:
    """The deal groups of one round in the order of playing, by their bots' times in the last round.

    Otherwise a round would often end with one slow match, for which all other workers wait.
    """
    rounds = {(plan.deal_group.stage_id, plan.deal_group.round) for plan in planned}
    if len(rounds) > 1:
        return planned
    [(stage, number)] = rounds
    played = Seat.objects.filter(
        match__deal_group__stage=stage, match__deal_group__round=number - 1, wall_ms__isnull=False
    )
    times: dict[int, float] = dict(
        played.order_by().values_list("version").annotate(mean=Avg("wall_ms"))
    )

    def expected_ms(plan: _Planned) -> float:
        entries = [entry for team in plan.teams for entry in team]
        versions = [version.pk for entry in entries for _, version in entry.members()]
        return sum(times.get(version, 0.0) for version in versions)

    return sorted(planned, key=expected_ms, reverse=True)


def _create_matches(tournament: Tournament, fmt: Format, planned: Sequence[_Planned]) -> None:
    side_of = {seat: side for side, seats in enumerate(fmt.sides) for seat in seats}
    widest = max(map(len, fmt.sides))
    matches: list[Match] = []
    seats: list[tuple[Match, int, Entry, BotVersion]] = []
    seated = _seated(plan.before.deal_group for plan in planned if plan.before)
    for plan in planned:
        teams = [_members(team, widest) for team in plan.teams]
        group = seatings(fmt.sides, teams, plan.deal_group.group - 1)
        if plan.before:
            group = [tuple(seating) for seating in seated[plan.before.deal_group.pk]]
        failed = plan.before.failed if plan.before else NEVER_FAILED
        for rotation, seating in enumerate(group):
            match = Match(
                deal_group=plan.deal_group,
                tournament=tournament,
                rotation=rotation,
                format=tournament.format,
                rng="" if tournament.chosen_seed else drawn_seed(),
                priority=plan.priority,
                failures=failed.failures,
                failed_on=list(failed.failed_on),
                not_before=failed.not_before,
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


def _seated(deal_groups: Iterable[DealGroup]) -> dict[int, list[Seating]]:
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


def _members(team: Sequence[Entry], widest: int) -> Seating:
    """The bots for a side's seats: all bots of its entry, or one bot of each of its entries."""
    bots = [(entry, version) for entry in team for _, version in entry.members()]
    return bots if len(bots) == 1 else bots[:widest]
