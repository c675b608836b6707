"""The command line for authors, which needs no server and no database.

Exit status: 0 success, 1 a check failed, 2 wrong usage. Errors are one sentence on stderr.
"""

from bots.cli.app import app

__all__ = ["app"]
