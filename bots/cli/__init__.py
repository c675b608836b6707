"""The command line for authors: no server, no database.

Exit status: 0 fine, 1 the thing checked failed, 2 wrong usage. Errors are one sentence on stderr.
"""

from bots.cli.app import app

__all__ = ["app"]
