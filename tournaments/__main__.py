"""Run the `cardroom` command; Ctrl-C ends it quietly, even while it loads."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command. It is imported here so that Ctrl-C is handled while it loads."""
    from cardroom_base.core import compiled

    try:
        compiled.use()
        from cardroom_base.core import garbage
        from tournaments.home import cli

        garbage.freeze_current_objects()
        cli.main()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
