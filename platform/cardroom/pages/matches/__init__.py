"""Pages of matches: the list, the replay, its analysis, the featured match."""
