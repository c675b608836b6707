"""What leaves the site in files: archives of tournaments, the dump of all public data."""
