"""Pages of games: the list with its tiles, a game, its rules."""
