"""Turning rounds into deal groups, matches and seats, in bulk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from django.db.models import F, Max

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
"""Matches that one tournament may create at once."""
URGENT = 2
"""How much higher the priority of a newcomer's matches is, up to the highest priority."""
MAX_PRIORITY = 9
MAX_MESSAGES = 64
"""Wake-ups announced at once; a worker that has been woken goes on while matches wait."""
BATCH = 500

Seating: TypeAlias = list[tuple[Entry, BotVersion]]
"""Who sits on each seat of a match, in the order of the seats."""


@dataclass(frozen=True, slots=True)
class Failed:
    """How playing has failed; the fields are those of a `Match`."""

    failures: int = 0
    failed_on: Sequence[str] = ()
    not_before: datetime | None = None


NEVER_FAILED = Failed()


@dataclass(frozen=True, slots=True)
class Before:
    """What a deal group with new cards takes over from the one that it replaces.

    It always takes over the seats with their versions.
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
    """Of its matches."""
    before: Before | None


@dataclass(frozen=True, slots=True)
class _Planner:
    """What all deal groups have in common that are made at once."""

    tournament: Tournament
    stage: Stage
    division: Division
    entries: Mapping[int, Entry]
    """Of the division, by primary key: as it names its entrants."""
    retired: Mapping[Slot, tuple[str, int]]
    """How often a deal group was set aside, where seeds follow from the tournament's."""
    urgent: frozenset[int]
    """Entrants whose matches are played first."""

    @classmethod
    def of(cls, tournament: Tournament, division: Division) -> _Planner:
        """For deal groups of this division."""
        stage = tournament.stages.get(number=division.stage)
        entries = Entry.objects.with_members().in_bulk(division.entrants)
        # Where deals are drawn, there is no need to look through all that were set aside.
        retired = _retired(stage, division) if tournament.chosen_seed else {}
        urgent: frozenset[int] = frozenset()
        if isinstance(division.system, RatingSystem):
            urgent = division.system.newcomers(division.state)
        return cls(tournament, stage, division, entries, retired, urgent)

    def plan(self, number: int, slot: Slot, entrants: Pairing, before: Before | None) -> _Planned:
        """The deal group in this slot between these entrants. `number`: in the tournament."""
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
        drawn = salt(self.division.stage, self.division.number)
        return group_seed(self.tournament.seed, *drawn, *slot, *self.retired.get(slot, ()))

    def _priority(self, entrants: Pairing) -> int:
        """Of the matches between these entrants."""
        usual = self.tournament.priority
        if self.urgent.isdisjoint(entrants):
            return usual
        return max(usual, min(MAX_PRIORITY, usual + URGENT))


def create_groups(
    tournament: Tournament,
    division: Division,
    wanted: Sequence[tuple[Slot, Pairing]],
    before: Mapping[Slot, Before] | None = None,
) -> list[DealGroup]:
    """Create these deal groups of the division with all their matches, and wake the workers.

    `before`: the groups, retired already, that some of these replace.
    """
    if not wanted:
        return []
    before = before or {}
    fmt = Format.parse(tournament.format)
    _refuse_too_many(len(wanted) * len(fmt.sides))
    planner = _Planner.of(tournament, division)
    first = (tournament.deal_groups.aggregate(last=Max("number"))["last"] or 0) + 1
    planned = [
        planner.plan(number, slot, entrants, before.get(slot))
        for number, (slot, entrants) in enumerate(wanted, first)
    ]
    made = DealGroup.objects.bulk_create([each.deal_group for each in planned], batch_size=BATCH)
    DealGroupSide.objects.bulk_create(
        (
            DealGroupSide(deal_group=each.deal_group, index=index, place=place, entry=entry)
            for each in planned
            for index, team in enumerate(each.teams)
            for place, entry in enumerate(team)
        ),
        batch_size=BATCH,
    )
    _create_matches(tournament, fmt, planned)
    if division.system.by_rating:
        _count_groups([each for each in planned if each.before is None])
    announce_many(PLAY_TASK, [{}] * min(len(planned), MAX_MESSAGES))
    return made


def _count_groups(planned: Sequence[_Planned]) -> None:
    """Keep how many deal groups each entry has been given."""
    given = Counter(entry.pk for each in planned for team in each.teams for entry in team)
    by_number: dict[int, list[int]] = {}
    for entry, number in given.items():
        by_number.setdefault(number, []).append(entry)
    for number, entries in by_number.items():
        Entry.objects.filter(pk__in=entries).update(groups=F("groups") + number)


def _refuse_too_many(matches: int) -> None:
    """ActionError with the number of matches, if it is too large."""
    if matches > MAX_MATCHES:
        raise ActionError(
            f"That would be {matches:,} matches; a tournament may have {MAX_MATCHES:,}. "
            "Choose fewer deal groups, or take in fewer bots.",
            "conflict",
        )


def _retired(stage: Stage, division: Division) -> dict[Slot, tuple[str, int]]:
    """How often a deal group was set aside: where deals follow from a seed, its replacement gets
    other cards by this number."""
    rows = DealGroup.objects.filter(
        stage=stage, division=division.number, retired__isnull=False
    ).values_list("round", "pairing", "group")
    counts: dict[Slot, tuple[str, int]] = {}
    for key in rows:
        counts[key] = ("again", counts.get(key, ("", 0))[1] + 1)
    return counts


def _create_matches(tournament: Tournament, fmt: Format, planned: Sequence[_Planned]) -> None:
    side_of = {seat: side for side, seats in enumerate(fmt.sides) for seat in seats}
    widest = max(map(len, fmt.sides))
    matches: list[Match] = []
    seats: list[tuple[Match, int, Entry, BotVersion]] = []
    seated = _seated(each.before.deal_group for each in planned if each.before)
    for each in planned:
        teams = [_members(team, widest) for team in each.teams]
        group = seatings(fmt.sides, teams, each.deal_group.group - 1)
        if each.before:
            group = [tuple(seating) for seating in seated[each.before.deal_group.pk]]
        failed = each.before.failed if each.before else NEVER_FAILED
        for rotation, seating in enumerate(group):
            match = Match(
                deal_group=each.deal_group,
                tournament=tournament,
                rotation=rotation,
                format=tournament.format,
                rng="" if tournament.chosen_seed else drawn_seed(),
                priority=each.priority,
                failures=failed.failures,
                failed_on=list(failed.failed_on),
                not_before=failed.not_before,
            )
            matches.append(match)
            seats.extend((match, seat, *who) for seat, who in enumerate(seating))
    Match.objects.bulk_create(matches, batch_size=BATCH)
    Seat.objects.bulk_create(
        (
            Seat(match=match, index=index, side=side_of[index], entry=entry, version=version)
            for match, index, entry, version in seats
        ),
        batch_size=BATCH,
    )


def _seated(deal_groups: Iterable[DealGroup]) -> dict[int, list[Seating]]:
    """Who sat in the matches of these deal groups, by rotation."""
    found: dict[int, list[Seating]] = {}
    seats = Seat.objects.filter(match__deal_group__in=list(deal_groups)).defer("log")
    seats = seats.select_related("match", "entry", "version")
    for seat in seats.order_by("match__deal_group", "match__rotation", "index"):
        rotations = found.setdefault(seat.match.deal_group_id, [])
        if seat.match.rotation == len(rotations):
            rotations.append([])
        rotations[seat.match.rotation].append((seat.entry, seat.version))
    return found


def _members(team: Sequence[Entry], widest: int) -> Seating:
    """Who can sit on a side's seats: the bots of its entry, or one of each of several entries."""
    found = [(entry, version) for entry in team for _, version in entry.members()]
    return found if len(found) == 1 else found[:widest]
