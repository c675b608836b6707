"""Django's command line for the site: `manage.py`, `cardroom up` and `cardroom manage` run it."""

import os
import sys

WITHOUT_SETTINGS = ("doctor", "env")
"""Commands for hosts whose settings are missing or wrong."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")
    os.environ.setdefault("DJANGO_COLORS", "nocolor")  # strangers may send escapes
    try:
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit("Django is not installed here. Run `make demo` once, then use .venv/bin/python.")
    from cardroom_base.core.safe_text import OutputError, discard_output, guard_streams

    guard_streams()
    try:
        if sys.argv[1:2] and sys.argv[1] in WITHOUT_SETTINGS:
            _run_without_settings(sys.argv[1])
        else:
            execute_from_command_line(["manage.py", *sys.argv[1:]])
        sys.stdout.flush()
    except OutputError as error:
        discard_output()
        sys.exit(str(error))


def _run_without_settings(name: str) -> None:
    from importlib import import_module

    from django.core.management.base import CommandError

    command = import_module(f"cardroom.management.commands.{name}").Command()
    options = vars(command.create_parser("manage.py", name).parse_args(sys.argv[2:]))
    try:
        command.handle(**options)
    except CommandError as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
