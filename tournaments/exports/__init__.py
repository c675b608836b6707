"""Files for downloading: archives and results of tournaments, the dump of all public data.

Views serve `export_files`; the command `dump` writes the dump.
"""
