"""The archive of a tournament, out of the database."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import connection, transaction

from tournaments import archive
from tournaments.deal_groups import Entrant, Side
from tournaments.models import (
    DealGroup,
    Entry,
    Match,
    Rating,
    Seat,
    SideResult,
    StoredRecord,
    Tournament,
    over,
)
from tournaments.projections.live import pools_of
from tournaments.reading.course import sides_of
from tournaments.reading.results import results_by_group
from tournaments.reading.tables import cross_table_of, paired_stages, standings_of
from tournaments.standings import Cell, Row

BATCH = 500
"""Deal groups, or records, that are read at once."""


def archive_of(tournament: Tournament) -> Iterator[bytes]:
    """The archive in pieces: all is read at one moment, but records, which never change, later.

    A record that has been set aside meanwhile breaks the stream off.
    """
    with _snapshot():
        tournament = Tournament.objects.select_related("organizer").get(pk=tournament.pk)
        entries = list(_entries(tournament))
        numbers = {entry.pk: entry.number for entry in entries}
        head = _head(tournament, entries)
        lines, matches = [], []
        for deal_group in _deal_groups(tournament, numbers):
            lines.append(archive.deal_group_line(deal_group))
            if deal_group.seed is not None:
                matches += [played.match for played in deal_group.matches if played.finished]
        tables = _tables(tournament, entries, numbers)
    return archive.write(head, lines, _records(matches), tables)


@contextmanager
def _snapshot() -> Iterator[None]:
    """Let every query see the database as it was at the first one."""
    outermost = not connection.in_atomic_block
    with _only_reading(), transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@contextmanager
def _only_reading() -> Iterator[None]:
    """Let a transaction of SQLite hold up nobody: its own are begun as if they would write."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    connection.ensure_connection()  # which sets the mode
    lite: Any = connection  # only SQLite's has one
    usual, lite.transaction_mode = lite.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        lite.transaction_mode = usual


def _entries(tournament: Tournament) -> Iterator[Entry]:
    """In the order of their seeds."""
    found = Entry.objects.filter(tournament=tournament).order_by("seeding", "number")
    found = found.select_related("bot__owner", "version")
    yield from found.prefetch_related("mates__bot__owner", "mates__version")


def _head(tournament: Tournament, entries: Sequence[Entry]) -> dict[str, Any]:
    head = archive.Head(
        slug=tournament.slug,
        format=tournament.format,
        partners=tournament.partners,
        seed=tournament.seed,
        chosen_seed=tournament.chosen_seed,
        state=tournament.state,
        tie_breaks=tuple(tournament.tie_breaks),
        apart=tournament.apart,
        stages=tuple(stage.plan for stage in tournament.stages.order_by("number")),
        entries=tuple(_entry(entry) for entry in entries),
    )
    plain = ("name", "description", "seeding", "move_ms", "bank_ms", "fault_policy", "rated")
    times = {key: getattr(tournament, key) for key in ("created", "opened", "started", "finished")}
    more: dict[str, object] = {key: getattr(tournament, key) for key in plain}
    more |= {key: at.isoformat() if at else None for key, at in times.items()}
    organizer = tournament.organizer
    more["organizer"] = organizer.get_username() if organizer else None
    return archive.head_as_json(head, more)


def _entry(entry: Entry) -> archive.ArchivedEntry:
    members = tuple(
        archive.Member(
            bot=bot.slug,
            author=bot.owner.get_username() if bot.owner else None,
            version=version.number,
            package=version.package_id,
        )
        for bot, version in entry.members()
    )
    return archive.ArchivedEntry(entry.number, entry.title, entry.withdrawn is not None, members)


# --- deal groups --------------------------------------------------------------------------------


def _deal_groups(
    tournament: Tournament, numbers: dict[int, int]
) -> Iterator[archive.ArchivedGroup]:
    """Every deal group, also those that do not count any more, in the order of their numbers."""
    found = DealGroup.objects.filter(tournament=tournament).order_by("number")
    keys = list(found.values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        yield from _batch(DealGroup.objects.filter(pk__in=keys[start : start + BATCH]), numbers)


def _batch(deal_groups: Any, numbers: dict[int, int]) -> Iterator[archive.ArchivedGroup]:
    sides = sides_of(deal_groups)
    matches = _matches(deal_groups)
    shown = deal_groups.select_related("stage").annotate(is_over=over("pk"))
    for deal_group in shown.order_by("number"):
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
            sides=tuple(_numbered(side, numbers) for side in sides.get(deal_group.pk, ())),
            matches=tuple(matches.get(deal_group.pk, ())),
        )


def _numbered(side: Side, numbers: dict[int, int]) -> Side:
    """A side with the entries' numbers."""
    if isinstance(side, tuple):
        return tuple(numbers[int(entry)] for entry in side)
    return numbers[int(side)]


def _matches(deal_groups: Any) -> dict[int, list[archive.Played]]:
    """The matches of some deal groups, by deal group."""
    seats: dict[int, list[archive.ArchivedSeat]] = {}
    rows = Seat.objects.filter(match__deal_group__in=deal_groups).order_by("match", "index")
    fields = ("entry__number", "version__bot__slug", "version__number", "version__package")
    for match, *who in rows.values_list("match", *fields):
        seats.setdefault(match, []).append(archive.ArchivedSeat(*who))
    side_results = SideResult.objects.filter(match__deal_group__in=deal_groups)
    results = {
        each.match: each for group in results_by_group(side_results).values() for each in group
    }
    found: dict[int, list[archive.Played]] = {}
    matches = Match.objects.filter(deal_group__in=deal_groups).order_by("deal_group", "rotation")
    for pk, deal_group, rotation, state in matches.values_list(
        "pk", "deal_group", "rotation", "state"
    ):
        played = archive.Played(pk, rotation, state, tuple(seats.get(pk, ())))
        if known := results.get(pk):
            played = replace(played, scores=known.scores, ranks=known.ranks, faults=known.faults)
        found.setdefault(deal_group, []).append(played)
    return found


def _records(matches: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    """The records of these matches, by name."""
    for start in range(0, len(matches), BATCH):
        batch = matches[start : start + BATCH]
        rows = StoredRecord.objects.filter(match__in=batch).values_list("match", "content")
        stored = dict(rows)
        for match in batch:
            yield f"records/{match}.json", zlib.decompress(bytes(stored[match]))


# --- tables -------------------------------------------------------------------------------------


def _tables(
    tournament: Tournament, entries: Sequence[Entry], numbers: dict[int, int]
) -> dict[str, Any]:
    """Standings, cross table, ratings and the log as the site shows them."""
    names = tournament.tie_breaks

    def listed(rows: Sequence[Row]) -> list[dict[str, Any]]:
        return [
            archive.row_as_json(replace(row, entrant=numbers[int(row.entrant)]), names)
            for row in rows
        ]

    stages = paired_stages(tournament)
    rows = standings_of(tournament, stages)
    cells = cross_table_of(stages, [row.entrant for row in rows])
    table: dict[Entrant, dict[Entrant, Cell]] = {
        numbers[int(entry)]: {numbers[int(other)]: cell for other, cell in line.items()}
        for entry, line in cells.items()
    }
    return {
        "standings.json": {
            "rows": listed(rows),
            "stages": [
                {"stage": each.stage, "division": each.number, "rows": listed(each.rows)}
                for divisions in stages
                for each in divisions
            ],
        },
        "crosstable.json": {"cells": archive.cells_as_json(table)},
        "ratings.json": {"ratings": ratings_of(tournament, _versions(entries))},
        "decisions.json": {"decisions": _decisions(tournament)},
    }


def _decisions(tournament: Tournament) -> list[dict[str, Any]]:
    """The log of what was decided, in its order."""
    return [
        {
            "at": each.at.isoformat(),
            "by": each.by.get_username() if each.by else None,
            "kind": each.kind,
            "what": each.what,
            "reason": each.reason,
            "match": each.match_id,
            "own": each.own,
            "dealt": [{"old": old, "new": new} for old, new in each.dealt],
        }
        for each in tournament.decisions.select_related("by").order_by("pk")
    ]


def _versions(entries: Iterable[Entry]) -> list[int]:
    return [version.pk for entry in entries for _, version in entry.members()]


def ratings_of(tournament: Tournament, versions: Collection[int]) -> list[dict[str, Any]]:
    """Where these versions stand now in the format's pools."""
    found = Rating.objects.filter(pool__in=pools_of(tournament.format), version__in=versions)
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
    rows = found.order_by("pool", "kind", "-fitted", "version").values_list(*fields.values())
    return [dict(zip(fields, row, strict=True)) for row in rows]
