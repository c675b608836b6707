"""A whole tournament in one file, from which everything about it can be recomputed. Pure.

A zip with `tournament.json` (what was decided: format, stages, seed, entries), `fixtures.jsonl`
(one deal group a line: who met whom, the commitment to its seed, the seed once the group is over,
matches with their results), `records/` (one JSON file for each match of the groups that are over),
and the outcome: `standings.json`, `crosstable.json`, `ratings.json`; `decisions.json` lists what
was decided on the way, including which deal groups got new cards.
Everything but the ratings, which other tournaments move as well, follows from the records.
"""

from tournaments.archive.groups import group_of
from tournaments.archive.shapes import (
    ArchivedEntry,
    ArchivedGroup,
    ArchivedMember,
    ArchivedSeat,
    ArchiveError,
    Head,
    Played,
    cells_as_json,
    head_as_json,
    row_as_json,
)
from tournaments.archive.verifying import Summary, division_as_json, is_archive, verify
from tournaments.archive.writing import deal_group_line, write

__all__ = [
    "ArchiveError",
    "ArchivedEntry",
    "ArchivedGroup",
    "ArchivedMember",
    "ArchivedSeat",
    "Head",
    "Played",
    "Summary",
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
