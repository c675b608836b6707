"""The command line for authors, which needs no server and no database.

Exit status: 0 success; 1 the checked bot, match or record is not in order; 2 wrong usage, a problem
of the machine, or Ctrl-C. Errors are one sentence on stderr.
"""

from bots.cli.app import app

__all__ = ["app"]
