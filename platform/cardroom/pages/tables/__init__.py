"""Pages of people's tables: the lobby, a table in play, positions and how to continue from one."""
