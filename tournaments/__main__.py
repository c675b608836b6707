"""Run the `cardroom` command; Ctrl-C ends it quietly, even while it loads or exits."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command. It is imported here so that Ctrl-C is handled while it loads."""
    try:
        _load_and_run()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(2)
    finally:
        import signal  # here, because Ctrl-C must not interrupt this module's own imports

        # Handlers that run at the exit remove the files and processes of sandboxes.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _load_and_run() -> None:
    try:
        from cardroom_base.core import compiled

        compiled.use()
        from cardroom_base.core import garbage
        from tournaments.home import cli
    except ModuleNotFoundError as error:
        sys.stderr.write(
            f"This installation is incomplete: the package {error.name} is missing. Install "
            "Cardroom again with its dependencies.\n"
        )
        sys.exit(2)
    garbage.freeze_current_objects()
    cli.main()


if __name__ == "__main__":
    main()
