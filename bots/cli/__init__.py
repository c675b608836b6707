"""The command line for authors, which needs no server and no database.

Exit status: 0 success; 1 the bot, match or record failed its check; 2 wrong usage, a problem of the
machine, or Ctrl-C. Errors are one sentence on stderr.
"""

from bots.cli.app import app

__all__ = ["app"]
