"""Pages of games: rules with pictures, formats by name, tiles."""
