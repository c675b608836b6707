"""REST of tournaments, matches and ratings; `urls` lists the addresses."""
