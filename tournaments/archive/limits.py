"""Maximum sizes when the archive of a tournament is read, each with its reason."""

from __future__ import annotations

from bots.limits import MIB

MAX_DIRECTORY = 32 * MIB
"""Bytes of an archive's table of contents: four times the size for 100,000 matches."""
MAX_FILE = 32 * MIB
"""Bytes of one file in an archive, unpacked; a cross table of 256 entries has 8 MiB."""
MAX_LINE = MIB
"""Bytes of a line of `fixtures.jsonl`: a deal group with its matches has a few KiB."""
MAX_ENTRIES = 5_000
"""Entries of a tournament: the time to pair a Swiss grows with the square of their number."""
MAX_TIE_BREAKS = 20
"""Tie-breaks of a tournament; fewer exist."""
