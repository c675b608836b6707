"""Files for downloading: archives and results of tournaments, the dump of all public data."""
