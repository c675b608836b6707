"""What goes out in files: archives of tournaments, the dump of all public data."""
