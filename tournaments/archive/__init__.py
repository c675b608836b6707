"""A whole tournament in one file, from which everything about it can be recomputed. Pure.

The zip contains `tournament.json` (format, stages, seed, entries), `fixtures.jsonl` (one deal group
per line: its sides, the commitment to its seed, the seed once the group is over, its matches and
their results), `records/` (a JSON file for each match of the groups that are over), the outcome in
`standings.json`, `crosstable.json` and `ratings.json`, and the log in `decisions.json`, including
redealt groups.

Everything follows from the records, except the ratings, which depend on other tournaments as well.
"""

from tournaments.archive.paired_groups import group_of
from tournaments.archive.shapes import (
    ArchivedEntry,
    ArchivedGroup,
    ArchivedMatch,
    ArchivedMember,
    ArchivedSeat,
    ArchiveError,
    Head,
    cells_as_json,
    head_as_json,
    row_as_json,
)
from tournaments.archive.verifying import ArchiveSummary, division_as_json, is_archive, verify
from tournaments.archive.writing import deal_group_line, write

__all__ = [
    "ArchiveError",
    "ArchiveSummary",
    "ArchivedEntry",
    "ArchivedGroup",
    "ArchivedMatch",
    "ArchivedMember",
    "ArchivedSeat",
    "Head",
    "cells_as_json",
    "deal_group_line",
    "division_as_json",
    "group_of",
    "head_as_json",
    "is_archive",
    "row_as_json",
    "verify",
    "write",
]
