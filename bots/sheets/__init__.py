"""Rule sheets and tiles: a game explained to people in two minutes, or in three lines."""
