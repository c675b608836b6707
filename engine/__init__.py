"""The rules of the games: pure functions of format, seed and moves.

The engine uses only the standard library.
"""

from engine.errors import IllegalMove, RecordError
from engine.formats import all_formats
from engine.game import Format
from engine.match import Match
from engine.record import Record

__all__ = ["Format", "IllegalMove", "Match", "Record", "RecordError", "all_formats"]
