"""Pages of people's tables: the lobby, a table in play, positions and going on from one."""
