"""Write the archive of a tournament from the database."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from django.db import connection, transaction

from tournaments import archive
from tournaments.course.course import Division, begun_stages, course, division_of, standings
from tournaments.course.divisions import PairedGroup
from tournaments.deal_groups import SideEntrants
from tournaments.models import (
    DealGroup,
    Entry,
    Rating,
    Seat,
    SideResult,
    Stage,
    StoredRecord,
    Tournament,
    group_is_over,
)
from tournaments.projections.live_elo import pools_of
from tournaments.reading.course import RECENT, departures_of, sides_of
from tournaments.reading.results import results_by_group
from tournaments.reading.strengths import Strength, rating_strength, team_strength
from tournaments.standings import cross_table

BATCH = 500
"""Deal groups or records per query."""


def archive_of(tournament: Tournament) -> Iterator[bytes]:
    """The archive in pieces, from one snapshot of the database.

    Records are read after the snapshot, because they never change; if a result has been withdrawn
    meanwhile, a KeyError ends the stream.
    """
    with _snapshot():
        stages = _stages(tournament)
        tournament = stages[0].tournament
        entry_rows = _entry_rows(tournament)
        head = _head(tournament, stages, [row.entry for row in entry_rows])
        entry_numbers = {row.pk: row.entry.number for row in entry_rows}
        lines, matches, counted_groups = [], [], []
        for deal_group in _deal_groups(tournament, entry_numbers):
            lines.append(archive.deal_group_line(deal_group))
            if not deal_group.retired:
                counted_groups.append(archive.group_of(deal_group))
            if deal_group.seed is not None:
                matches += [match.match for match in deal_group.matches if match.finished]
        tables = _tables(tournament, head, entry_rows, counted_groups)
    return archive.write(_head_as_json(head, tournament), lines, _records(matches), tables)


@contextmanager
def _snapshot() -> Iterator[None]:
    """Run all queries on one snapshot of the database."""
    outermost = not connection.in_atomic_block
    with _deferred_transaction(), transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@contextmanager
def _deferred_transaction() -> Iterator[None]:
    """Begin SQLite's transaction without a write lock, which would block writers."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    connection.ensure_connection()  # sets transaction_mode
    sqlite: Any = connection  # only SQLite's has the attribute
    default_mode, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = default_mode


def _stages(tournament: Tournament) -> list[Stage]:
    """The stages, each with the present state of the tournament."""
    stages = Stage.objects.filter(tournament=tournament.pk).order_by("number")
    return list(stages.select_related("tournament__organizer"))


class _EntryRow(NamedTuple):
    """An entry of the archive with its database keys."""

    pk: int
    versions: list[int]
    """Primary keys."""
    groups: int
    """Deal groups assigned to it on a ladder."""
    entry: archive.ArchivedEntry


def _entry_rows(tournament: Tournament) -> list[_EntryRow]:
    """The entries, in the order of their seeds."""
    member = ("bot__slug", "bot__owner__username", "version__number", "version__package")
    bot_fields = ("version", "bot__name", *member)
    mate_fields = [f"mates__{field}" for field in bot_fields]
    entries = Entry.objects.filter(tournament=tournament)
    rows = entries.order_by("seeding", "number", "mates__index")  # one row for each mate
    entry_fields = ("pk", "groups", "number", "name", "withdrawn", "late")
    values = list(rows.values_list(*entry_fields, *bot_fields, *mate_fields))
    departures = departures_of(tournament, {row[0]: row[4] for row in values})
    entry_rows = []
    for head, team in groupby(values, key=lambda row: row[:6]):
        pk, groups, number, name, withdrawn, late = head
        fields_of_bots = [row[6:] for row in team]
        mates = [fields[6:] for fields in fields_of_bots if fields[6] is not None]
        team_members = [fields_of_bots[0][:6], *mates]
        members = tuple(archive.ArchivedMember(*member[2:]) for member in team_members)
        title = name or " & ".join(member[1] for member in team_members)
        is_withdrawn = withdrawn is not None
        departure = departures.get(pk)
        entry = archive.ArchivedEntry(number, title, is_withdrawn, members, departure, late)
        entry_rows.append(_EntryRow(pk, [member[0] for member in team_members], groups, entry))
    return entry_rows


def _head(
    tournament: Tournament, stages: Sequence[Stage], entries: Iterable[archive.ArchivedEntry]
) -> archive.Head:
    return archive.Head(
        slug=tournament.slug,
        format=tournament.format,
        partners=tournament.partners,
        seed=tournament.seed,
        chosen_seed=tournament.chosen_seed,
        state=tournament.state,
        tie_breaks=tuple(tournament.tie_breaks),
        apart=tournament.apart,
        stages=tuple(stage.plan for stage in stages),
        entries=tuple(entries),
        stopped=tournament.stopped is not None,
    )


def _head_as_json(head: archive.Head, tournament: Tournament) -> dict[str, Any]:
    plain_fields = ("name", "description", "seeding", "move_ms", "bank_ms", "fault_policy", "rated")
    times = {key: getattr(tournament, key) for key in ("created", "opened", "started", "finished")}
    further_fields: dict[str, object] = {key: getattr(tournament, key) for key in plain_fields}
    further_fields |= {key: time.isoformat() if time else None for key, time in times.items()}
    organizer = tournament.organizer
    further_fields["organizer"] = organizer.get_username() if organizer else None
    return archive.head_as_json(head, further_fields)


# --- deal groups --------------------------------------------------------------------------------


def _deal_groups(
    tournament: Tournament, numbers: dict[int, int]
) -> Iterator[archive.ArchivedGroup]:
    """All deal groups, including retired ones, in the order of their numbers."""
    deal_groups = DealGroup.objects.filter(tournament=tournament).order_by("number")
    deal_groups = deal_groups.select_related("stage").annotate(is_over=group_is_over("pk"))
    batch = list(deal_groups[:BATCH])
    while batch:
        yield from _archived_groups(batch, numbers)
        if len(batch) < BATCH:
            return
        batch = list(deal_groups.filter(number__gt=batch[-1].number)[:BATCH])


def _archived_groups(
    batch: Sequence[Any], numbers: dict[int, int]
) -> Iterator[archive.ArchivedGroup]:
    keys = [deal_group.pk for deal_group in batch]
    sides = sides_of(DealGroup.objects.filter(pk__in=keys))
    matches = _matches(keys)
    for deal_group in batch:
        yield archive.ArchivedGroup(
            number=deal_group.number,
            stage=deal_group.stage.number,
            division=deal_group.division,
            round=deal_group.round,
            pairing=deal_group.pairing,
            group=deal_group.group,
            commitment=deal_group.commitment,
            seed=deal_group.seed if deal_group.is_over else None,
            retired=deal_group.retired is not None,
            sides=tuple(_with_numbers(side, numbers) for side in sides.get(deal_group.pk, ())),
            matches=tuple(matches.get(deal_group.pk, ())),
        )


def _with_numbers(side: SideEntrants, numbers: dict[int, int]) -> SideEntrants:
    """The side with the numbers of entries in place of their keys."""
    if isinstance(side, tuple):
        return tuple(numbers[int(entry)] for entry in side)
    return numbers[int(side)]


def _matches(deal_groups: Sequence[int]) -> dict[int, list[archive.ArchivedMatch]]:
    """The matches by deal group."""
    side_results = SideResult.objects.filter(match__deal_group__in=deal_groups)
    results = {
        result.match: result
        for group in results_by_group(side_results).values()
        for result in group
    }
    rows = Seat.objects.filter(match__deal_group__in=deal_groups)
    rows = rows.order_by("match__deal_group", "match__rotation", "index")
    match = ("match__deal_group", "match", "match__rotation", "match__state")
    seat = ("entry__number", "version__bot__slug", "version__number", "version__package")
    matches: dict[int, list[archive.ArchivedMatch]] = {}
    for key, seat_rows in groupby(rows.values_list(*match, *seat), key=lambda row: row[:4]):
        deal_group, pk, rotation, state = key
        seats = tuple(archive.ArchivedSeat(*row[4:]) for row in seat_rows)
        archived = archive.ArchivedMatch(pk, rotation, state, seats, (), (), ())
        if result := results.get(pk):
            archived = replace(
                archived, scores=result.scores, ranks=result.ranks, faults=result.faults
            )
        matches.setdefault(deal_group, []).append(archived)
    return matches


def _records(matches: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    """(file name, content) of each match's record."""
    for start in range(0, len(matches), BATCH):
        batch = matches[start : start + BATCH]
        rows = StoredRecord.objects.filter(match__in=batch).values_list("match", "content")
        stored = dict(rows)
        for match in batch:
            yield f"records/{match}.json", zlib.decompress(bytes(stored[match]))


# --- tables -------------------------------------------------------------------------------------


def _tables(
    tournament: Tournament,
    head: archive.Head,
    entry_rows: Sequence[_EntryRow],
    groups: Sequence[PairedGroup],
) -> dict[str, Any]:
    """Standings, cross table, ratings and the log as the site shows them.

    `groups`: the groups that count. Except for places on a ladder, they alone determine the tables.
    """
    names = head.tie_breaks
    ratings = ratings_of(tournament, [pk for row in entry_rows for pk in row.versions])
    stages = begun_stages(course(head.conditions, groups))
    if stages and stages[0][0].system.by_rating:
        stages = [[_ladder_division(head, entry_rows, groups, ratings)]]
    rows = standings(head.conditions, stages)
    order = [row.entrant for row in rows]
    cells = cross_table(order, [group.matches for group in groups if group.matches])
    divisions = [
        archive.division_as_json(division, names) for stage in stages for division in stage
    ]
    return {
        "standings.json": {
            "rows": [archive.row_as_json(row, names) for row in rows],
            "stages": divisions,
        },
        "crosstable.json": {"cells": archive.cells_as_json(cells)},
        "ratings.json": {"ratings": ratings},
        "decisions.json": {"decisions": _decisions(tournament)},
    }


def _ladder_division(
    head: archive.Head,
    entry_rows: Sequence[_EntryRow],
    groups: Sequence[PairedGroup],
    ratings: Sequence[dict[str, Any]],
) -> Division:
    """The division of a ladder with its latest deal groups and the ratings of its format."""
    pool, _, _ = pools_of(head.format)
    strength_of = {
        (rating["bot"], rating["version"]): rating_strength(*(rating[key] for key in _STRENGTH))
        for rating in ratings
        if rating["pool"] == pool and rating["kind"] == Rating.Kind.ALL
    }
    teams = [[(member.bot, member.version) for member in entry.members] for entry in head.entries]
    strengths = [
        team_strength([strength_of.get(member, Strength()) for member in team]) for team in teams
    ]
    latest = sorted(groups, key=lambda group: (group.round, group.pairing))[-RECENT:]
    division = division_of(head.conditions, (1, 1), head.conditions.entrants, latest)
    state = replace(
        division.state,
        played=tuple(row.groups for row in entry_rows),
        ratings=tuple(value.rating for value in strengths),
        errors=tuple(value.error for value in strengths),
    )
    return replace(division, state=state)


_STRENGTH: Final = ("live", "fitted", "low", "high")


def _decisions(tournament: Tournament) -> list[dict[str, Any]]:
    """The tournament's log, oldest first."""
    return [
        {
            "at": decision.at.isoformat(),
            "by": decision.by.get_username() if decision.by else None,
            "kind": decision.kind,
            "what": decision.what,
            "reason": decision.reason,
            "match": decision.match_id,
            "own": decision.own,
            "dealt": [{"old": old, "new": new} for old, new in decision.dealt],
        }
        for decision in tournament.decisions.select_related("by").order_by("pk")
    ]


def ratings_of(tournament: Tournament, versions: Collection[int]) -> list[dict[str, Any]]:
    """The present ratings of these versions in the format's pools."""
    ratings = Rating.objects.filter(pool__in=pools_of(tournament.format), version__in=versions)
    fields = {
        "pool": "pool",
        "kind": "kind",
        "bot": "version__bot__slug",
        "version": "version__number",
        "live": "live",
        "matches": "matches",
        "fitted": "fitted",
        "low": "low",
        "high": "high",
        "groups": "groups",
    }
    rows = ratings.order_by("pool", "kind", "-fitted", "version").values_list(*fields.values())
    return [dict(zip(fields, row, strict=True)) for row in rows]
