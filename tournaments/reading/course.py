"""Compute the course of a tournament (`tournaments.course`) from its rows in the database.

`advance` compares the course with the existing deal groups; the standings are computed from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from django.db.models import Min, QuerySet

from engine import Format
from tournaments.course import course as pure
from tournaments.course.course import Division
from tournaments.course.divisions import Conditions, PairedGroup, order_sides, result_of_rotation
from tournaments.course.stages import divide
from tournaments.deal_groups import Entrant, SideEntrants
from tournaments.models import (
    DealGroup,
    DealGroupSide,
    Entry,
    Match,
    SideResult,
    Stage,
    Tournament,
)
from tournaments.pairing import get_system
from tournaments.reading.results import CHUNK, StoredResult, results_by_group
from tournaments.reading.strengths import strengths

RECENT = 400
"""The course of a ladder contains its open deal groups and this number of the latest ones."""


def course(tournament: Tournament, *, for_pairing: bool = False) -> Iterator[list[Division]]:
    """The divisions of each stage in turn; entrants are entries' primary keys.

    The entrants of a stage are final only if the stage before is complete. `for_pairing`: omit
    results that pairing does not need.
    """
    stages = list(tournament.stages.all())
    system = get_system(stages[0].system) if stages else None
    if system is not None and (system.by_rating or (for_pairing and system.endless)):
        return iter([[_endless_division(tournament, stages[0], for_pairing=for_pairing)]])
    entries = Entry.objects.filter(tournament=tournament).order_by("seeding", "number")
    conditions = _conditions(
        tournament, stages, entries.with_members() if tournament.apart else entries
    )
    deal_groups = DealGroup.objects.filter(tournament=tournament, retired__isnull=True)
    groups = _load_groups(deal_groups, SideResult.objects.filter(match__tournament=tournament))
    if tournament.state != Tournament.State.RUNNING:
        groups = [replace(group, open=False) for group in groups]
    return pure.course(conditions, groups)


def paired_groups(deal_groups: QuerySet[DealGroup]) -> list[PairedGroup]:
    """These deal groups, in the order of their numbers."""
    return _load_groups(deal_groups, SideResult.objects.filter(match__deal_group__in=deal_groups))


class _DealGroupRow(NamedTuple):
    """A deal group as it is stored."""

    pk: int
    number: int
    stage: int
    division: int
    round: int
    pairing: int
    group: int
    finished: datetime | None


_COLUMNS: Final = ("pk", "number", "stage__number", *_DealGroupRow._fields[3:])


def _load_rows(deal_groups: QuerySet[DealGroup]) -> list[_DealGroupRow]:
    return [_DealGroupRow(*values) for values in deal_groups.values_list(*_COLUMNS)]


def _load_groups(
    deal_groups: QuerySet[DealGroup], side_results: QuerySet[SideResult]
) -> list[PairedGroup]:
    """Deal groups with these results, for the course; unfinished groups are open."""
    rows = _load_rows(deal_groups.order_by("number"))
    open_keys = {row.pk for row in rows if row.finished is None}
    return _build_groups(rows, sides_of(deal_groups), results_by_group(side_results), open_keys)


def _build_groups(
    rows: Iterable[_DealGroupRow],
    sides: Mapping[int, tuple[SideEntrants, ...]],
    results: Mapping[int, Sequence[StoredResult]],
    open_keys: Collection[int],
) -> list[PairedGroup]:
    """Deal groups for the course. `sides`, `results`: by primary key. `open_keys`: open groups."""
    groups = []
    for row in rows:
        teams = sides.get(row.pk, ())
        group_results = results.get(row.pk, ())
        matches = tuple(result_of_rotation(teams, *result[1:]) for result in group_results)
        place = row.stage, row.division, row.round, row.pairing
        order = order_sides(teams, row.group)
        groups.append(PairedGroup(*place, order, matches, row.pk in open_keys))
    return groups


def _endless_division(tournament: Tournament, stage: Stage, *, for_pairing: bool) -> Division:
    """The only division of a ladder or trial, with its latest and its open deal groups.

    A ladder's division also has ratings. The cost does not grow with the number of matches.
    """
    system = get_system(stage.system)
    rows = Entry.objects.filter(tournament=tournament).order_by("seeding", "number")
    entries = list(rows.with_members())
    count = RECENT if system.by_rating else 1
    groups, last = _latest_groups(tournament, stage, count, for_pairing=for_pairing)
    # Teams are not paired until all owners have agreed.
    absent = {entry.pk for entry in entries if not all(mate.agreed for mate in entry.mates.all())}
    if system.by_rating:  # other systems keep a quarantined bot: its matches wait
        absent |= {entry.pk for entry in entries if any(b.quarantined for b, _ in entry.members())}
    conditions = _conditions(tournament, [stage], entries, absent)
    division = pure.division_of(conditions, (1, 1), conditions.entrants, groups)
    state = replace(division.state, before=last - len(division.state.rounds))
    if not system.by_rating:
        return replace(division, state=state)
    ratings = strengths(tournament, entries)
    state = replace(
        state,
        played=tuple(entry.groups for entry in entries),
        ratings=tuple(rating.rating for rating in ratings),
        errors=tuple(rating.error for rating in ratings),
        intervals=tuple((rating.low, rating.high) for rating in ratings),
    )
    return replace(division, state=state)


def _latest_groups(
    tournament: Tournament, stage: Stage, count: int, *, for_pairing: bool
) -> tuple[list[PairedGroup], int]:
    """(a stage's open deal groups and its latest `count`, the number of its last round)."""
    # Ordered by place, not by number: a replacement has the place of the redealt group.
    groups = DealGroup.objects.filter(stage=stage, division=1, retired__isnull=True)
    recent = _load_rows(groups.order_by("-round", "-pairing", "-group")[:count])
    unfinished = Match.objects.filter(
        tournament=tournament, state__in=(Match.State.WAITING, Match.State.PLAYING)
    )
    open_groups = DealGroup.objects.filter(pk__in=unfinished.order_by().values("deal_group"))
    open_rows = {row.pk: row for row in _load_rows(open_groups)}
    rows_by_key = open_rows | {row.pk: row for row in recent}
    deal_groups = DealGroup.objects.filter(pk__in=rows_by_key)
    results = SideResult.objects.none() if for_pairing else SideResult.objects.all()
    results_of = results_by_group(results.filter(match__deal_group__in=deal_groups))
    rows = sorted(rows_by_key.values(), key=lambda row: row.number)
    last_round = max((row.round for row in recent), default=0)
    return _build_groups(rows, sides_of(deal_groups), results_of, open_rows), last_round


def _conditions(
    tournament: Tournament,
    stages: Iterable[Stage],
    entries: Iterable[Entry],
    absent: Collection[int] = (),
) -> Conditions:
    """The conditions of a tournament. `entries`: in the order of their seeds. `absent`: keys of
    entries that are not paired now."""
    entries = list(entries)
    return Conditions(
        fmt=Format.parse(tournament.format),
        seed=tournament.seed,
        plans=tuple(stage.plan for stage in stages),
        entrants=tuple(entry.pk for entry in entries),
        tie_breaks=tuple(tournament.tie_breaks),
        rotating=tournament.partners == Tournament.Partners.ROTATING,
        authors={entry.pk: _authors(entry) for entry in entries if tournament.apart},
        withdrawn=frozenset(entry.pk for entry in entries if entry.withdrawn or entry.pk in absent),
        arrivals={entry.pk: entry.late for entry in entries if entry.late},
        departures=departures_of(tournament, {entry.pk: entry.withdrawn for entry in entries}),
    )


def departures_of(
    tournament: Tournament, withdrawn: Mapping[Entrant, datetime | None]
) -> dict[Entrant, tuple[int, int]]:
    """By entrant that left: (stage, round) of the last round of its division that had been paired
    before it left, or (0, 0).

    `withdrawn`: the time that each entrant left, or None.
    """
    times = {entrant: at for entrant, at in withdrawn.items() if at}
    if not times or tournament.is_ladder:
        return {}
    divisions = _divisions_of(tournament, list(times))
    paired: dict[tuple[int, int], list[tuple[int, datetime]]] = {}
    for (stage, division, number), at in _paired_rounds(tournament).items():
        paired.setdefault((stage, number), []).append((division, at))

    def had_been_paired(entrant: Entrant, stage: int, number: int) -> bool:
        own = divisions.get((entrant, stage))
        own_times = [at for division, at in paired[stage, number] if own in {None, division}]
        return bool(own_times) and max(own_times) <= times[entrant]

    departures = {}
    for entrant in times:
        earlier = (place for place in paired if had_been_paired(entrant, *place))
        departures[entrant] = max(earlier, default=(0, 0))
    return departures


def _divisions_of(
    tournament: Tournament, entrants: Sequence[Entrant]
) -> dict[tuple[Entrant, int], int]:
    """The division of each of these entrants in each stage, as far as known: in later stages an
    entrant with byes only has no deal group that would show it."""
    sides = DealGroupSide.objects.filter(
        entry__in=[int(entrant) for entrant in entrants],
        deal_group__tournament=tournament,
        deal_group__retired__isnull=True,
    )
    rows = sides.values_list("entry", "deal_group__stage__number", "deal_group__division")
    divisions: dict[tuple[Entrant, int], int] = {
        (entry, stage): division for entry, stage, division in rows.distinct()
    }
    entries = Entry.objects.filter(tournament=tournament).order_by("seeding", "number")
    parts = divide(list(entries.values_list("pk", flat=True)), tournament.plans()[0].divisions)
    divisions |= {(entry, 1): number for number, part in enumerate(parts, 1) for entry in part}
    return divisions


def _paired_rounds(tournament: Tournament) -> dict[tuple[int, int, int], datetime]:
    """When each round was paired, by stage, division and round.

    A replacement counts as paired with the redealt group, as long as it is not retired itself.
    """
    groups = DealGroup.objects.filter(tournament=tournament).order_by()
    groups = groups.annotate(at=Min("matches__created"))
    place = ("stage__number", "division", "round", "at")
    counted = list(groups.filter(retired__isnull=True).values_list(*place))
    rows = groups.filter(redealt__isnull=False)
    links = list(rows.values_list("pk", "redealt", "redealt__retired", *place))
    replacements = {pk: (replacement, retired) for pk, replacement, retired, *_ in links}
    for _, replacement, retired, *placed in links:
        while replacement in replacements:
            replacement, retired = replacements[replacement]
        if retired is None:
            counted.append(tuple(placed))
    paired: dict[tuple[int, int, int], datetime] = {}
    for stage, division, number, at in counted:
        key = stage, division, number
        paired[key] = min(at, paired.get(key, at))
    return paired


def _authors(entry: Entry) -> frozenset[str | int]:
    """The authors of an entry's bots; house bots have none."""
    return frozenset(bot.owner_id for bot, _ in entry.members() if bot.owner_id)


def sides_of(deal_groups: QuerySet[DealGroup]) -> dict[int, tuple[SideEntrants, ...]]:
    """The entries of each deal group's sides, in the order of its first match."""
    rows = DealGroupSide.objects.filter(deal_group__in=deal_groups).order_by(
        "deal_group", "index", "place"
    )
    sides_by_group: dict[int, tuple[SideEntrants, ...]] = {}
    for deal_group, group in groupby(
        rows.values_list("deal_group", "index", "entry").iterator(CHUNK), key=lambda row: row[0]
    ):
        sides: dict[int, list[int]] = {}
        for _, index, entry in group:
            sides.setdefault(index, []).append(entry)
        sides_by_group[deal_group] = tuple(
            side[0] if len(side) == 1 else tuple(side) for _, side in sorted(sides.items())
        )
    return sides_by_group
