"""The search for a strong move: `consider` judges the moves of a seat from what that seat knows.

One search serves every game (docs/14-expert.md). It guesses the hidden cards again and again, and
builds one tree of moves over all guesses. A game may have an adviser (engine/search/advisers/),
which estimates moves and positions. The search is deterministic: with the same view, random numbers
and number of playouts, it gives the same answer.
"""

from __future__ import annotations

from engine.search.expert import EXPERT, consider
from engine.search.levels import LEVELS, Level, level
from engine.search.result import SearchResult

__all__ = ["EXPERT", "LEVELS", "Level", "SearchResult", "consider", "level"]
