"""Pages of bots: list, upload, statistics, losses, challenges, trials, authors."""
