"""Pages of people's tables: the lobby, a running table, positions, and continuations of matches."""
