"""Verify an archive: its cards fit the commitments, and everything follows from its records.

The checks are made in this order, and the first error is reported:

1. Every deal group has a seed that fits its commitment, which no other group has; a chosen seed of
   the tournament decides it. The seats of every match follow from the pairing. Every record
   verifies and has the result of its match.
2. The pairings of every round follow from the results of earlier rounds.
3. Standings and cross table follow from the results.

Deal groups that are not over have only their commitments and the results of finished matches. These
results are not checked; the number of such groups is reported.

A ladder pairs and ranks by ratings, which depend on other tournaments as well, so its pairings and
places are not checked.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from bots.package.package_reader import BROKEN, opened_zip
from engine import RecordError
from engine.json_text import JSONError, parse_json
from tournaments.archive.checks import check_deal_group, check_pairings, check_record, is_endless
from tournaments.archive.limits import MAX_DIRECTORY, MAX_FILE, MAX_LINE
from tournaments.archive.paired_groups import group_of
from tournaments.archive.shapes import (
    VERSION,
    ArchivedGroup,
    ArchivedMatch,
    ArchiveError,
    CrossTableFile,
    Head,
    StandingsFile,
    StandingsRow,
    cells_as_json,
    convert,
    read_deal_group,
    read_head,
    row_as_json,
)
from tournaments.course.course import Division, begun_stages, course, standings
from tournaments.course.divisions import PairedGroup
from tournaments.course.stages import check_stages
from tournaments.standings import cross_table

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """The contents of a verified archive."""

    slug: str
    state: str
    entries: int
    groups: int
    """Deal groups that count."""

    records: int

    hidden: int
    """Deal groups that are not over, so that their cards and records were not checked."""

    by_rating: bool
    """Whether pairings and places follow from ratings, so that they were not checked."""


def is_archive(path: Path) -> bool:
    """Whether a file is a zip."""
    return path.is_file() and zipfile.is_zipfile(path)


def verify(source: Path | IO[bytes], on_match: Callable[[], None] | None = None) -> ArchiveSummary:
    """Check a whole archive; ArchiveError for the first error.

    `on_match` is called after each record. Only one record is in memory at a time.
    """
    try:
        with ExitStack() as stack:
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            archive = stack.enter_context(opened_zip(file, MAX_DIRECTORY))
            return _Verification(archive, on_match or (lambda: None)).run()
    except BROKEN as error:
        raise ArchiveError(f"The archive cannot be read: {error}.") from error


class _Verification:
    """One run over an archive."""

    def __init__(self, archive: zipfile.ZipFile, on_match: Callable[[], None]) -> None:
        self.archive = archive
        self.on_match = on_match
        names = archive.namelist()
        self.names = set(names)
        if len(self.names) < len(names):
            raise ArchiveError("The archive has two files of the same name.")
        self.records: set[str] = set()
        self.commitments: set[str] = set()
        self.hidden = 0
        self.retired: Counter[tuple[int, ...]] = Counter()
        self.counted_groups: dict[tuple[int, ...], ArchivedGroup] = {}

    def run(self) -> ArchiveSummary:
        """Make all checks, in the order of the module's docstring."""
        head = read_head(_parse(self._read("tournament.json"), "tournament.json"))
        groups = list(self._groups(head))
        if extra := sorted(self._record_names() - self.records):
            raise ArchiveError(f"{extra[0]} belongs to no match.")
        try:
            self._check_tables(head, groups)
        except ArchiveError:
            raise
        except (ValueError, IndexError, KeyError) as error:
            raise ArchiveError(f"The tournament's course cannot be computed: {error}") from error
        counts = len(head.entries), len(groups), len(self.records), self.hidden
        return ArchiveSummary(head.slug, head.state, *counts, by_rating=is_endless(head))

    def _record_names(self) -> set[str]:
        return {name for name in self.names if name.startswith("records/")}

    def _groups(self, head: Head) -> Iterator[PairedGroup]:
        """The deal groups that count, each checked with its matches and records."""
        conditions, entries = head.conditions, {entry.number: entry for entry in head.entries}
        try:
            check_stages(head.stages, len(conditions.fmt.sides), rotating=conditions.rotating)
        except ValueError as error:
            raise ArchiveError(f"tournament.json: {error}") from error
        for line, content in enumerate(self._lines("fixtures.jsonl"), 1):
            deal_group = read_deal_group(_parse(content, f"fixtures.jsonl, line {line}"), line)
            if deal_group.number != line:
                raise ArchiveError(
                    f"fixtures.jsonl, line {line}: the number of the deal group must be {line}, "
                    f"not {deal_group.number}."
                )
            key = (
                deal_group.stage,
                deal_group.division,
                deal_group.round,
                deal_group.pairing,
                deal_group.group,
            )
            check_deal_group(
                head, conditions, entries, deal_group, retired_before=self.retired[key]
            )
            self._check_order(deal_group, key)
            self._check_cards(head, deal_group)
            if not deal_group.retired:
                yield group_of(deal_group)
        self._check_gaps()

    def _check_order(self, deal_group: ArchivedGroup, key: tuple[int, ...]) -> None:
        """Check that only the last deal group of a place counts."""
        if key in self.counted_groups:
            raise ArchiveError(f"{deal_group}: an earlier group in the same place is not retired.")
        if deal_group.retired:
            self.retired[key] += 1
            return
        self.counted_groups[key] = deal_group

    def _check_gaps(self) -> None:
        """Check that no deal group of a pairing is missing. A redealt one may be listed later."""
        for (*pairing, group), deal_group in self.counted_groups.items():
            if group != 1 and (*pairing, group - 1) not in self.counted_groups:
                raise ArchiveError(f"{deal_group}: the group before it in its pairing is missing.")

    def _check_cards(self, head: Head, deal_group: ArchivedGroup) -> None:
        """Check that no two groups have the same cards, and every record has its group's cards."""
        if deal_group.commitment is not None and deal_group.commitment in self.commitments:
            raise ArchiveError(
                f"{deal_group}: another group has the same commitment, so it has the same cards."
            )
        self.commitments.add(deal_group.commitment or "")
        if deal_group.seed is None:
            self.hidden += 1
            return
        for match in deal_group.matches:
            if match.finished:
                self._check_record(head, match.record, deal_group.seed, match)

    def _check_record(self, head: Head, name: str, seed: str, match: ArchivedMatch) -> None:
        content = self._read(name)
        if name in self.records:
            raise ArchiveError(f"{name} belongs to two matches.")
        self.records.add(name)
        try:
            check_record(head, seed, match, content)
        except RecordError as error:
            raise ArchiveError(f"{name}: {error}") from error
        self.on_match()

    def _check_tables(self, head: Head, groups: list[PairedGroup]) -> None:
        """Check pairings, standings and cross table."""
        table = self._read_shape("standings.json", StandingsFile)
        if not is_endless(head):
            conditions, names = head.conditions, head.tie_breaks
            stages = begun_stages(course(conditions, groups))
            replaced = {(stage, division, round_) for stage, division, round_, *_ in self.retired}
            check_pairings(head, stages or [next(course(conditions, ()))], len(groups), replaced)
            expected = [
                row_as_json(row, names, head.version) for row in standings(conditions, stages)
            ]
            _compare("standings.json, rows", expected, table.rows)
            divisions = [
                division_as_json(division, names, head.version)
                for stage in stages
                for division in stage
            ]
            _compare("standings.json, stages", divisions, table.stages)
        order = [
            row.entry for row in convert(table.rows, list[StandingsRow], "standings.json, rows")
        ]
        cells = cross_table(order, [group.matches for group in groups if group.matches])
        cross = self._read_shape("crosstable.json", CrossTableFile)
        _compare("crosstable.json, cells", cells_as_json(cells), cross.cells)

    # --- files ----------------------------------------------------------------------------------

    def _read_shape(self, name: str, kind: type[T]) -> T:
        return convert(_parse(self._read(name), name), kind, name)

    def _read(self, name: str) -> bytes:
        with self._open(name) as file:
            content = file.read(MAX_FILE + 1)
        if len(content) > MAX_FILE:
            raise ArchiveError(f"{name} is longer than {MAX_FILE:,} bytes.")
        return content

    def _lines(self, name: str) -> Iterator[bytes]:
        with self._open(name) as file:
            while line := file.readline(MAX_LINE):
                if len(line) == MAX_LINE:
                    raise ArchiveError(f"{name} has a line of more than {MAX_LINE:,} bytes.")
                yield line

    def _open(self, name: str) -> IO[bytes]:
        if name not in self.names:
            raise ArchiveError(f"{name} is missing.")
        return self.archive.open(name)


def _parse(content: bytes, location: str) -> object:
    try:
        value: object = parse_json(content, MAX_FILE)
    except JSONError as error:
        raise ArchiveError(f"{location} is not JSON: {error}") from error
    return value


def division_as_json(
    division: Division, tie_breaks: Sequence[str], version: int = VERSION
) -> dict[str, Any]:
    """The standings of a division."""
    rows = [row_as_json(row, tie_breaks, version) for row in division.rows]
    return {"stage": division.stage, "division": division.number, "rows": rows}


def _compare(location: str, expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> None:
    """ArchiveError names the first difference."""
    expected_rows = json.loads(json.dumps(expected))
    for index, (expected_row, actual_row) in enumerate(zip(expected_rows, actual, strict=False)):
        if expected_row != actual_row:
            raise ArchiveError(
                f"{location}[{index}] does not follow: {_difference(expected_row, actual_row)}."
            )
    if len(expected_rows) != len(actual):
        raise ArchiveError(
            f"{location} must have {len(expected_rows)} lines; it has {len(actual)}."
        )


def _difference(expected_row: dict[str, Any], actual_row: dict[str, Any]) -> str:
    for key, value in expected_row.items():
        if actual_row.get(key) != value:
            if isinstance(value, list):
                return f"{key} do not follow from the results"
            return f"from the results, {key} is {value}, not {actual_row.get(key)!r:.60}"
    return f"it must not have {', '.join(sorted(set(actual_row) - set(expected_row)))}"
