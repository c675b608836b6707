"""The search for a strong move: `consider` judges the moves of a seat from what that seat knows.

One search for every game (docs/14-expert.md): hidden cards are guessed again and again, and one
tree of moves is grown over all guesses. A game may advise it (engine/search/advice/); it need not.
Pure as the rules are: the same view, random numbers and playouts give the same answer.
"""

from __future__ import annotations

from engine.search.expert import EXPERT, consider
from engine.search.levels import LEVELS, Level, level
from engine.search.result import SearchResult

__all__ = ["EXPERT", "LEVELS", "Level", "SearchResult", "consider", "level"]
