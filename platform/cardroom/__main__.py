"""Django's command line for the site: `manage.py`, `cardroom up` and `cardroom manage` run it."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")
    os.environ.setdefault("DJANGO_COLORS", "nocolor")  # strangers may send escapes
    try:
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit("Django is not installed here. Run `make demo` once, then use .venv/bin/python.")
    from cardroom_base.core.safe_text import guard_streams

    guard_streams()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
